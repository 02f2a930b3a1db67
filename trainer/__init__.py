"""From judgments to an adapter: candidates, exact ranking, preference pairs, training, registry."""
