"""Calls on narrow links: a link between two network namespaces, the schedules that it follows, and the rating of a call."""
