"""`polaris-admin demo`."""


def demo() -> None:
    """Run the demo."""
