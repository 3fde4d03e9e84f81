"""Tree-sitter queries for the declarations of each language.

A capture named after a chunk type is a chunk, `@name` with it (once or more) its name. `@wrapper` encloses a
declaration that begins with it: an export, decorators, the `const` of a declarator. `@above` may stand on the lines
over a declaration and then belongs to it.
"""

from __future__ import annotations

CSHARP = """
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(delegate_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(operator_declaration) @method
(conversion_operator_declaration) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @property
(indexer_declaration) @property
(event_declaration name: (_) @name) @property
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(comment) @above
"""

JAVA = """
(class_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(field_declaration declarator: (variable_declarator name: (_) @name)) @field
(constant_declaration declarator: (variable_declarator name: (_) @name)) @field
(line_comment) @above
(block_comment) @above
"""

_ECMASCRIPT = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(variable_declarator name: (_) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (_) @name value: (class)) @class
(assignment_expression left: (_) @name
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(assignment_expression left: (_) @name right: (class)) @class
(arguments (function_expression name: (_) @name) @function)
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(method_definition ["get" "set"] name: (_) @name) @property
(pair key: (_) @name value: [(arrow_function) (function_expression) (generator_function)]) @method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @field))
(program (variable_declaration (variable_declarator name: (identifier) @name) @field))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @field)))
(export_statement) @wrapper
(lexical_declaration) @wrapper
(variable_declaration) @wrapper
(expression_statement (call_expression)) @wrapper
(comment) @above
(decorator) @above
"""

JAVASCRIPT = (
    _ECMASCRIPT
    + """
(field_definition property: (_) @name) @field
(field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @method
"""
)

TYPESCRIPT = (
    _ECMASCRIPT
    + """
(abstract_class_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @interface
(public_field_definition name: (_) @name) @field
(public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @method
(abstract_method_signature name: (_) @name) @method
(class_body (method_signature name: (_) @name) @method)
(function_signature name: (_) @name) @function
(interface_body (method_signature name: (_) @name) @method)
(interface_body (property_signature name: (_) @name) @property)
(type_alias_declaration (object_type (method_signature name: (_) @name) @method))
(type_alias_declaration (object_type (property_signature name: (_) @name) @property))
(ambient_declaration) @wrapper
"""
)

PYTHON = """
(function_definition name: (_) @name) @function
(decorated_definition (decorator [
    (identifier) @_decorator
    (attribute attribute: (identifier) @_decorator)
  ])
  definition: (function_definition name: (_) @name) @property
  (#match? @_decorator "^(property|cached_property|setter|deleter)$"))
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @field)
(class_definition body: (block (expression_statement (assignment left: (identifier) @name)) @field))
(decorated_definition) @wrapper
(comment) @above
"""

SOLIDITY = """
(contract_declaration name: (_) @name) @class
(library_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(struct_declaration name: (_) @name) @class
(enum_declaration name: (_) @name) @class
(function_definition name: (_) @name) @function
(modifier_definition name: (_) @name) @method
(constructor_definition) @method
(fallback_receive_definition) @method
(state_variable_declaration name: (_) @name) @field
(constant_variable_declaration name: (_) @name) @field
(user_defined_type_definition name: (_) @name) @field
(event_definition name: (_) @name) @property
(error_declaration name: (_) @name) @property
(comment) @above
"""
