"""The model on this machine: a llama.cpp server in a child process."""
