"""For people who test their agents: scripted agents, virtual time, the ports' suites."""
