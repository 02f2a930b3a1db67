"""One exchange with one chat server: what is sent, and what its answers mean."""
