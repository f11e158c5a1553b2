"""The likelihood: pairs added up, its maximum, and where it has one."""
