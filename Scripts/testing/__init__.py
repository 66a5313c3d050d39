"""What Scripts/test and Scripts/soak are made of: tasks that share the processor's cores, shards of tests, and the table of tiers."""
