"""What a run writes: its own folder, whole checkpoints, the record, the finished adapter."""
