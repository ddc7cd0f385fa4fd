"""The desk: where conversations wait for people, who may take them, and who has them.

`desk` hears what is stored and owns the rest: `room` (who waits and who is with whom, of `entries`), `staff` (who is
there) and `feed` (their pages, told as in `news`). `rounds` is what happens by itself: `placing` by the `routing` of
the `rules` (with `hours`), what is `overdue`, and places with waits by `service_times`, which `measured` finds again
after a start. `acting` is what operators and others do; `asking` hears who wants a human.
"""
