"""How far `candidates` and `pairs` are, shown on stderr: their progress, on top of the stages."""

from polaris_search.cli.stages_bar import StagesBar

SHOWN_EVERY = 100
"""Tables that are read or written between two looks: ranking is faster than drawing."""


class SamplingBar(StagesBar):
    """The progress of sampling candidates: how many tables are done."""

    def sampled(self, done: int, total: int, failed: int) -> None:
        """Show how many tables are done, and how many of them got no candidate."""
        text = f"sampling ({failed:,} without a candidate)" if failed else "sampling"
        self._stages.show("sampling", text, done, total)


class PairsBar(StagesBar):
    """The progress of pair building: tables read, rounds ranked, pairs written."""

    def read(self, tables: int, total: int) -> None:
        """Show how many tables were read and analysed."""
        if tables % SHOWN_EVERY == 0 or tables == total:
            self._stages.show("reading", "reading tables", tables, max(total, tables))

    def round_done(self, rounds: int, most: int, changed: int) -> None:
        """Show how many rounds were ranked, and how many winners changed in the last one."""
        text = f"ranking ({changed:,} winners changed)" if rounds > 1 else "ranking"
        self._stages.show("ranking", text, rounds, most)

    def written(self, pairs: int, total: int) -> None:
        """Show how many pairs were written."""
        if pairs % SHOWN_EVERY == 0 or pairs == total:
            self._stages.show("writing", "writing pairs", pairs, total)

    def verified(self, tables: int, total: int) -> None:
        """Show how many tables were compared with an index of their own."""
        self._stages.show("verifying", "verifying on the store", tables, total)
