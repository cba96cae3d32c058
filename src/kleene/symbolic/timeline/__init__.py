"""Sequences of actions as one scene over several copies of the vocabulary (YRS04, section 4).

In reading order:

- `timeline`: the scene of a sequence
- `action_step`: one action
- `abstract_update`: values that the three-valued update decides
- `copies`: new individuals
- `rails`: formulas with 1/2
- `reachability`: closures before and after
- `two_store`: results that relate both ends of a sequence
- `closure_updates`: closures after an action over closures before it
"""
