"""The command line: reads settings, calls one step, prints what it says."""
