"""A training run from pairs to an adapter's folder: the order of its steps, nothing else.

Killed at any moment, the same command goes on from the last whole checkpoint and ends with the same
adapter. Finished, the same command with a folder of its own does nothing.
"""

from contextlib import nullcontext
from datetime import datetime

from trainer.adapters.record import read_record
from trainer.adapters.registry import Registry
from trainer.training.base.model import base_tokenizer
from trainer.training.base.source import base_source
from trainer.training.data.preferences import read_preferences
from trainer.training.data.prepared import prepare
from trainer.training.failures import in_words
from trainer.training.folder.draft import Drawn, draft_record, identity_of, starting_adapter
from trainer.training.folder.places import clear, finished, put, run_folder
from trainer.training.folder.run_folder import RunFolder, held
from trainer.training.machine import footing, this_machine
from trainer.training.packages import ON_GPU, check_packages, check_tensorboard, installed_versions
from trainer.training.quiet import silence_packages
from trainer.training.request import Listener, Ready, Trained, TrainRequest, Unheard
from trainer.training.steps import batch_plan

BASES = "bases"


def train(request: TrainRequest, listener: Listener, now: datetime | None = None) -> Trained | None:
    """Train an adapter, or go on training it, and return where it is.

    Of several processes the first has it; the others return None.

    Args:
        request: what to train.
        listener: is told of it.
        now: when it ends; None: by the clock.

    Raises:
        PolarisError: pairs, base, machine or folder are not fit for it, or the run had to stop.
    """
    ready = make_ready(request, listener)
    listener = Unheard() if ready.machine.place else listener
    run = run_folder(request.out, request.home, ready.draft)
    if request.out and (record := finished(request.out, ready.draft)):
        clear(run)  # a kill after the last file leaves it
        return Trained(request.out, record, again=True)
    for notice in ready.pairs.notices(request.settings, request.fixed_prompt):
        listener.say(notice)
    try:
        return _trained(ready, run, listener, now)
    except Exception as error:  # torch and safetensors have errors of their own for a full disk
        words = in_words(error, run, ready.pairs.fitted.longest)
        if words is None:
            raise
        raise words from None


def make_ready(request: TrainRequest, listener: Listener) -> Ready:
    """Return all that is known before the first weight is loaded.

    Raises:
        PolarisError: something is not fit for it.
    """
    installed = installed_versions()
    check_packages(installed)
    if request.tensorboard:
        check_tensorboard()
    listener.doing("reading the pairs")
    file = read_preferences(request.pairs)
    silence_packages()
    machine = this_machine()
    stands_on = footing(request.settings, machine.device, has_bitsandbytes=ON_GPU in installed)
    batch_plan(request.settings.batch, machine.devices, 1)  # refused before anything is loaded
    start = (
        starting_adapter(Registry(request.home), request.settings) if request.from_current else None
    )
    from trainer.training.attempt import first_alone

    listener.doing("reading the base model")
    with first_alone():
        source = base_source(request.base, request.home / BASES, listener.say)
    base = base_tokenizer(source)
    listener.doing("counting tokens")
    pairs = prepare(file, base, request.settings)
    drawn = Drawn(request.settings, machine, source, base, pairs, start, request.prompt_version)
    return Ready(request, machine, stands_on, source, base, pairs, start, draft_record(drawn))


def _trained(
    ready: Ready, run: RunFolder, listener: Listener, now: datetime | None
) -> Trained | None:
    from trainer.training.attempt import attempt, first_alone

    request = ready.request
    with held(request.out or run.path) if ready.machine.place == 0 else nullcontext():
        with first_alone():
            run.begin(identity_of(ready.draft))
        folder, step = attempt(ready, run, listener, now)
        if folder is None:
            return None
        placed = put(folder, request.out, request.home)
        clear(run)
    return Trained(placed, read_record(placed), step)
