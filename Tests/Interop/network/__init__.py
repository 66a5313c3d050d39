"""Calls across narrow links: a link between two network namespaces, the schedules that it follows, and what a call across it is
judged by."""
