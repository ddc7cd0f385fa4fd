"""The asyncio shell around the engine: live sessions, agent runs, timers, drain."""
