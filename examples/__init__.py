"""Real table metadata that may be shipped, and the scripts that built it.

Not part of the installed product: `python -m examples.build FOLDER` is run by hand, as README.md
beside this file says.
"""
