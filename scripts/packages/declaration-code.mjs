import { parseSync } from 'rolldown/experimental'

/**
 * Writes the module of a declaration file as JavaScript: `const NAME = __declaration(INDEX, () => [REFERENCES])` for
 * each declaration. Adds the texts of the declarations to `texts`, cut at the names to replace.
 */
export function encodeDeclarations(file, code, texts) {
  const { body } = parse(file, code)
  const scope = new Set(body.flatMap(namesOf))
  const declared = new Map()
  const lines = []
  let end = 0
  for (const statement of body) {
    const comment = code
      .slice(end, statement.start)
      .replace(/\/\/# sourceMappingURL.*/, '')
      .trim()
    end = statement.end
    if (isLink(statement)) {
      lines.push(linkOf(statement, code))
      continue
    }
    const isExported = statement.type === 'ExportNamedDeclaration'
    const declaration = isExported ? statement.declaration : statement
    const name = nameOf(declaration)
    const known = declared.get(name) ?? { name, isExported, pieces: [] }
    declared.set(name, known)
    known.pieces.push(...piecesOf({ declaration, comment, code, scope, name }), '\n')
  }
  for (const { name, isExported, pieces } of declared.values()) lines.push(encode(name, isExported, pieces, texts))
  return lines.join('\n')
}

function encode(name, isExported, pieces, texts) {
  const references = [...new Set(pieces.flatMap((each) => (typeof each === 'string' ? [] : [each.name])))]
  texts.push({ pieces, references })
  // A declaration for an entry point without exports, such as an augmentation of a module, is always kept.
  if (name === undefined) return `__declaration(${texts.length - 1}, () => [${references.join(', ')}])`
  const call = `/* @__PURE__ */ __declaration(${texts.length - 1}, () => [${references.filter((each) => each !== name).join(', ')}])`
  return `${isExported ? 'export ' : ''}const ${name} = ${call}`
}

/** Writes the declarations of a bundle back. */
export function decodeDeclarations(code, texts) {
  const { body } = parse('bundle.js', code)
  const statements = body.map((statement) => {
    const declarator = statement.type === 'VariableDeclaration' ? statement.declarations[0] : undefined
    const call = declarator?.init ?? statement.expression
    if (call?.type !== 'CallExpression' || call.callee.name !== '__declaration') {
      return `${code.slice(statement.start, statement.end)}\n`
    }
    const { pieces, references } = texts[call.arguments[0].value]
    const ownName = declarator?.id.name
    const originals = references
    const renamed = call.arguments[1].body.elements.map(({ name }) => name)
    return { pieces, originals, renamed, ownName }
  })
  const text = statements.map((each) => (typeof each === 'string' ? each : writeBack(each))).join('')
  return /^(import|export)\b/m.test(text) ? text : `${text}export {};\n`
}

function writeBack({ pieces, originals, renamed, ownName }) {
  const own = pieces.find((each) => each.isOwn)?.name
  const others = originals.filter((name) => name !== own)
  const names = new Map(others.map((name, index) => [name, renamed[index]]))
  return pieces.map((each) => (typeof each === 'string' ? each : (names.get(each.name) ?? ownName))).join('')
}

function parse(file, code) {
  const { program, errors } = parseSync(file, code)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  return program
}

/** Reports whether a statement only imports or exports names. */
function isLink({ type, declaration }) {
  return (
    type === 'ImportDeclaration' ||
    type === 'ExportAllDeclaration' ||
    (type === 'ExportNamedDeclaration' && declaration == null)
  )
}

function linkOf(statement, code) {
  if (statement.source !== null && statement.specifiers?.length === 0) {
    return statement.type === 'ImportDeclaration' ? code.slice(statement.start, statement.end) : ''
  }
  return code.slice(statement.start, statement.end).replaceAll(/\btype\s+(?=[{\w*])/g, '')
}

function namesOf(statement) {
  if (statement.type === 'ImportDeclaration') return statement.specifiers.map(({ local }) => local.name)
  const name = isLink(statement) ? undefined : nameOf(statement.declaration ?? statement)
  return name === undefined ? [] : [name]
}

function nameOf({ type, declarations, id }) {
  if (type === 'VariableDeclaration' && declarations.length === 1) return declarations[0].id.name
  return id?.type === 'Identifier' ? id.name : undefined
}

/** Cuts the text of a declaration at the names of the module that it refers to. */
function piecesOf({ declaration, comment, code, scope, name }) {
  const references = []
  const own = (declaration.declarations?.[0] ?? declaration).id
  if (name !== undefined) references.push({ ...spanOf(own, name), isOwn: true })
  visit(declaration, (node) => {
    for (const { start, end, name } of referencesOf(node)) if (scope.has(name)) references.push({ start, end, name })
    if (node.type === 'TSTypeParameter' && scope.has(node.name.name))
      throw new Error(`${node.name.name} is declared twice`)
    if (node.type === 'TSImportType') throw new Error('an import type cannot be bundled')
  })
  const pieces = comment === '' ? [] : [`${comment}\n`]
  let position = declaration.start
  for (const { start, end, name, isOwn = false } of references.sort((a, b) => a.start - b.start)) {
    if (start < position) continue
    pieces.push(code.slice(position, start), { name, isOwn })
    position = end
  }
  return [...pieces, code.slice(position, declaration.end)]
}

/** Returns the place of a name; an identifier with a type annotation includes the annotation. */
function spanOf({ start }, name) {
  return { start, end: start + name.length, name }
}

function referencesOf(node) {
  switch (node.type) {
    case 'TSTypeReference':
      return [firstOf(node.typeName)]
    case 'TSTypeQuery':
      return [firstOf(node.exprName)]
    case 'TSInterfaceHeritage':
    case 'TSClassImplements':
      return [firstOf(node.expression)]
    case 'ClassDeclaration':
      return node.superClass == null ? [] : [firstOf(node.superClass)]
    default:
      return node.computed === true && node.key !== undefined ? [firstOf(node.key)] : []
  }
}

/** Returns the first identifier of a qualified name. */
function firstOf(node) {
  return node.type === 'Identifier' ? node : firstOf(node.left ?? node.object ?? { type: 'Identifier', name: '' })
}

function visit(node, see) {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.type === 'string') see(node)
  for (const value of Object.values(node)) visit(value, see)
}
