"""`python -m benchmarks` runs them all."""

from benchmarks.streaming import main

main()
