"""`duologue doctor`: what is well and what is not, without changing anything."""
