"""The machine's own sensors, where it has them: temperature, battery, free memory."""

from duologue.adapters.sensors_machine.sensors import MachineSensors

__all__ = ["MachineSensors"]
