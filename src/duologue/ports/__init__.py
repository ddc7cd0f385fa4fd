"""What Duologue asks of the outside world; each docstring is the contract."""
