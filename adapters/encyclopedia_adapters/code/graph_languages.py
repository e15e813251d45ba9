"""What each language calls a definition, a call and an import, as patterns over its syntax tree."""

from __future__ import annotations

from typing import NamedTuple

VERSION = 1
"""Raised when files are read in another way, so that every index is made anew."""


class Language(NamedTuple):
    """A grammar (package and function) and its patterns; calls are followed among languages of one ``family``."""

    package: str
    family: str
    patterns: str
    function: str = "language"


_PYTHON = """
(class_definition name: (identifier) @name superclasses: (argument_list)? @bases) @class
(function_definition name: (identifier) @name) @function
(call function: (identifier) @callee) @call
(call function: (attribute object: (_) @receiver attribute: (identifier) @callee)) @call
[(import_statement) (import_from_statement)] @import
"""
_SCRIPT = """
[(function_declaration name: (identifier) @name) (generator_function_declaration name: (identifier) @name)] @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @function
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression)]) @function
(call_expression function: (identifier) @callee) @call
(call_expression function: (member_expression object: (_) @receiver property: (property_identifier) @callee)) @call
(new_expression constructor: (identifier) @callee) @call
[(import_statement) (export_statement source: (string))] @import
(variable_declarator value: (call_expression function: (identifier) @required (#eq? @required "require"))) @import
"""
_JAVASCRIPT = "(class_declaration name: (identifier) @name (class_heritage)? @bases) @class" + _SCRIPT
_TYPESCRIPT = (
    """
(class_declaration name: (type_identifier) @name (class_heritage)? @bases) @class
(abstract_class_declaration name: (type_identifier) @name (class_heritage)? @bases) @class
(interface_declaration name: (type_identifier) @name (extends_type_clause)? @bases) @interface
(enum_declaration name: (identifier) @name) @class
(type_alias_declaration name: (type_identifier) @name) @type
[(abstract_method_signature name: (property_identifier) @name) (method_signature name: (property_identifier) @name)] @function
"""
    + _SCRIPT
)
_GO = """
(type_spec name: (type_identifier) @name type: (struct_type)) @class
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name type: (_)) @type
(field_declaration !name type: (_) @embedded)
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list) @owner name: (field_identifier) @name) @function
(call_expression function: (identifier) @callee) @call
(call_expression function: (selector_expression operand: (_) @receiver field: (field_identifier) @callee)) @call
(import_spec) @import
"""
_RUST = """
[(struct_item name: (type_identifier) @name) (enum_item name: (type_identifier) @name)] @class
(trait_item name: (type_identifier) @name bounds: (trait_bounds)? @bases) @interface
(impl_item trait: (_)? @bases type: (_) @name) @scope
(mod_item name: (identifier) @name body: (_)) @scope
[(function_item name: (identifier) @name) (function_signature_item name: (identifier) @name)] @function
(macro_definition name: (identifier) @name) @macro
(call_expression function: [(identifier) @callee (generic_function function: (identifier) @callee)]) @call
(call_expression function: (field_expression value: (_) @receiver field: (field_identifier) @callee)) @call
(call_expression function: (scoped_identifier path: (_) @receiver name: (identifier) @callee)) @call
(macro_invocation macro: (identifier) @callee) @call
(use_declaration) @import
"""
_JAVA = """
(class_declaration name: (identifier) @name superclass: (_)? @bases interfaces: (_)? @bases) @class
(interface_declaration name: (identifier) @name (extends_interfaces)? @bases) @interface
[(enum_declaration name: (identifier) @name) (record_declaration name: (identifier) @name)] @class
[(method_declaration name: (identifier) @name) (constructor_declaration name: (identifier) @name)] @function
(method_invocation !object name: (identifier) @callee) @call
(method_invocation object: (_) @receiver name: (identifier) @callee) @call
(object_creation_expression type: (type_identifier) @callee) @call
(import_declaration) @import
"""
_C = """
(struct_specifier name: (type_identifier) @name body: (_)) @class
(union_specifier name: (type_identifier) @name body: (_)) @class
(enum_specifier name: (type_identifier) @name body: (_)) @class
(type_definition declarator: (type_identifier) @name) @type
(function_definition declarator: (_) @name) @function
(preproc_function_def name: (identifier) @name) @macro
(call_expression function: (identifier) @callee) @call
(call_expression function: (field_expression argument: (_) @receiver field: (field_identifier) @callee)) @call
(preproc_include path: (_)) @import
"""
_CPP = (
    _C
    + """
(class_specifier name: (type_identifier) @name (base_class_clause)? @bases body: (_)) @class
(struct_specifier name: (type_identifier) @name (base_class_clause) @bases body: (_)) @class
(namespace_definition name: (namespace_identifier) @name) @scope
(call_expression function: (qualified_identifier scope: (_) @receiver name: (identifier) @callee)) @call
(call_expression function: (template_function name: (identifier) @callee)) @call
(new_expression type: (type_identifier) @callee) @call
"""
)

LANGUAGES = {
    "python": Language("tree_sitter_python", "python", _PYTHON),
    "javascript": Language("tree_sitter_javascript", "script", _JAVASCRIPT),
    "typescript": Language("tree_sitter_typescript", "script", _TYPESCRIPT, "language_typescript"),
    "tsx": Language("tree_sitter_typescript", "script", _TYPESCRIPT, "language_tsx"),
    "go": Language("tree_sitter_go", "go", _GO),
    "rust": Language("tree_sitter_rust", "rust", _RUST),
    "java": Language("tree_sitter_java", "java", _JAVA),
    "c": Language("tree_sitter_c", "c", _C),
    "cpp": Language("tree_sitter_cpp", "c", _CPP),
}
_SUFFIXES = {
    "python": ".py .pyi",
    "javascript": ".js .jsx .mjs .cjs",
    "typescript": ".ts .mts .cts",
    "tsx": ".tsx",
    "go": ".go",
    "rust": ".rs",
    "java": ".java",
    "c": ".c",
    "cpp": ".cc .cpp .cxx .h .hh .hpp .hxx",  # most of C reads as C++, and a header does not say which it is
}
_BY_SUFFIX = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}


def language_of(path: str) -> str:
    """The language of a file by the end of its name; empty if there is no grammar for it."""
    name = path.rpartition("/")[2].lower()
    return _BY_SUFFIX.get(name[name.rfind(".") :], "") if "." in name else ""
