"""Memory as it runs: what is recalled before a run, and what a turn leaves."""
