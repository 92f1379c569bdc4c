"""The messages of ``cubilete.v1``, both directions, and the only place that knows their JSON."""
