"""What a preference pair costs to train, plain trl beside prompts that are computed once.

    python bench/train.py            all ways at prompts of about 640 and 1,181 tokens: 15 minutes
    python bench/train.py --prompts 640 --ways shared "shared, reference reused"

The paper's adapter (r = 64 on seven projections), the 8-bit optimizer, replies of 228 and 166
tokens, one pair at a time, one thread. Prompts are the product's own, about made-up tables. Every
way has a process of its own (bench/training_row.py) and the same start; plain trl is always run.
Gradients are compared tensor by tensor, ||ours - trl's|| / ||trl's||.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from training_row import WAYS, Cost

from polaris_search.llm.local.gguf import find_gguf
from trainer.training.base.gguf import gguf_base

PLAIN = "plain"
PROMPTS = (640, 1_181)
HEADINGS = (
    *("way", "tokens", "CPU s a pair (user + system)", "x", "peak MB", "x"),
    *("reference, CPU s", "loss", "gradient", "load"),
)
ONE_THREAD = {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}


@dataclass(frozen=True)
class Result:
    cost: Cost
    gradients: dict[str, torch.Tensor]

    @property
    def cpu_s(self) -> float:
        return self.cost.user_s + self.cost.system_s


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prompts", type=int, nargs="+", default=PROMPTS, metavar="TOKENS")
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS, metavar="WAY")
    parser.add_argument("--pairs", type=int, default=1, help="measured in each process")
    parser.add_argument("--base", type=Path, help="a transformers folder; the small model's own")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        base = asked.base or gguf_base(find_gguf(None), Path(folder))
        for prompt in asked.prompts:
            _print_table(base, prompt, asked.ways, asked.pairs, Path(folder))


def _print_table(base: Path, prompt: int, ways: Sequence[str], pairs: int, folder: Path) -> None:
    print(f"\nprompt of about {prompt:,} tokens, {pairs} pair(s) a process\n")
    print(f"| {' | '.join(HEADINGS)} |\n|{' --- |' * len(HEADINGS)}")
    plain = _result(PLAIN, base, prompt, pairs, folder)
    _print_row(PLAIN, plain, plain)
    for way in ways:
        if way != PLAIN:
            _print_row(way, _result(way, base, prompt, pairs, folder), plain)


def _result(way: str, base: Path, prompt: int, pairs: int, folder: Path) -> Result:
    gradients = folder / "gradients.pt"
    command = [
        *(sys.executable, str(Path(__file__).with_name("training_row.py")), way),
        *("--base", str(base), "--gradients", str(gradients)),
        *("--prompt", str(prompt), "--pairs", str(pairs)),
    ]
    run = subprocess.run(
        command, env=os.environ | ONE_THREAD, check=False, capture_output=True, text=True
    )
    if run.returncode:
        sys.exit(f"{way} at {prompt} tokens failed with {run.returncode}:\n{run.stderr[-2_000:]}")
    cost = Cost(**json.loads(run.stdout.splitlines()[-1]))
    return Result(cost, torch.load(gradients))


def _print_row(way: str, result: Result, plain: Result) -> None:
    cost = result.cost
    # A quantised base is another model: nothing of it is equal.
    loss, gradient = ("", "") if WAYS[way].nf4 else _differences(result, plain)
    cells = (
        way,
        f"{cost.tokens:,.0f}",
        f"{result.cpu_s:.1f} ({cost.user_s:.1f} + {cost.system_s:.1f})",
        f"{plain.cpu_s / result.cpu_s:.2f}",
        f"{cost.peak_mb:,.0f}",
        f"{plain.cost.peak_mb / cost.peak_mb:.2f}",
        f"{cost.reference_s:.1f}" if WAYS[way].reused else "",
        loss,
        gradient,
        cost.load,
    )
    print(f"| {' | '.join(cells)} |", flush=True)


def _differences(result: Result, plain: Result) -> tuple[str, str]:
    """Return the largest absolute one of a loss, and the largest relative one of a gradient."""
    of_losses = (
        abs(ours - theirs)
        for ours, theirs in zip(result.cost.losses, plain.cost.losses, strict=True)
    )
    of_gradients = (
        float((result.gradients[name] - theirs).norm() / theirs.norm())
        for name, theirs in plain.gradients.items()
    )
    return f"{max(of_losses):.0e}", f"{max(of_gradients):.0e}"


if __name__ == "__main__":
    main()
