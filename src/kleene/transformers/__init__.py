"""What an Action does to structures: focus, coerce, update, blur, and derived updates; knows no program text.

In reading order:

- `action`: actions and rules as values
- `transformer`: an action applied to a structure
- `draft`: a structure between two stages
- `focus_plan`: focus formulas in normal form
- `focus`: focus
- `rules`: consistency rules
- `rule_dependencies`: rules that a repair of another one may breach
- `rule_programs`: rules, compiled
- `coerce`: coerce
- `action_programs`: formulas of an action, compiled
- `native_programs`: rules and actions as bytecode
- `native_rules`: coerce on the native machine
- `native_transformer`: an action on the native machine
- `differencing`: derived updates
"""
