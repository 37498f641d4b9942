import { LINE_TERMINATORS, parsePattern, WORD } from './parse-pattern.mjs'

/**
 * Returns the states of a backtracking search for a regular expression, with their transitions, and one automaton for
 * each lookbehind in addition, which reads backward. A state is a position in the expression after a character. The
 * first states read the text before a match begins.
 *
 * Work of a search on a text is the number of paths through these states that read a beginning of the text. A lookahead
 * is a path of its own that ends, and otherwise always holds.
 */
export function toAutomata(source, flags) {
  const behind = []
  const pattern = parsePattern(source, flags)
  const automata = [build(pattern, { flags, behind })]
  for (const node of behind) automata.push(build(reverse(node), { flags, behind }))
  return automata
}

function build(pattern, { flags, behind }) {
  const alphabet = alphabetOf(pattern)
  const graph = { nodes: [], alphabet, behind }
  const end = addNode(graph)
  graph.end = end
  const start = add(graph, pattern, end)
  return exploreStates({ graph, start, isMultiline: flags.includes('m'), isSticky: flags.includes('y') })
}

/** Splits all characters into sets that no part of the expression distinguishes. A mask has one bit for each of them. */
function alphabetOf(pattern) {
  const sets = [WORD, LINE_TERMINATORS]
  visit(pattern, (node) => node.type === 'set' && sets.push(node.ranges))
  const starts = new Set([0])
  for (const [low, high] of sets.flat()) starts.add(low).add(high + 1)
  const characters = [...starts].filter((start) => start <= 0x10ffff).sort((a, b) => a - b)
  const maskOf = (ranges) =>
    characters.reduce(
      (mask, character, index) =>
        ranges.some(([low, high]) => character >= low && character <= high) ? mask | (1n << BigInt(index)) : mask,
      0n,
    )
  const [word, lineEnd, any] = [WORD, LINE_TERMINATORS, [[0, 0x10ffff]]].map(maskOf)
  const previous = []
  visit(pattern, (node) => previous.push(...(toPrevious(node)?.sets ?? []).map(maskOf)))
  // Characters of one kind are the same for everything that may follow.
  const kinds = [word, lineEnd, ...previous].reduce(
    (split, mask) => split.flatMap((kind) => [kind & mask, kind & ~mask]).filter(Boolean),
    [any],
  )
  return { characters, maskOf, word, lineEnd, any, kinds }
}

/** Returns the characters that may precede, if a lookbehind is about one character. */
function toPrevious({ type, isBehind, node }) {
  if (type !== 'look' || !isBehind) return undefined
  const options = node.type === 'alternatives' ? node.nodes : [node]
  const items = options.map(({ nodes }) => (nodes?.length === 1 ? nodes[0] : undefined))
  const isOne = items.every((item) => item?.type === 'set' || item?.kind === 'start')
  return isOne
    ? {
        sets: items.flatMap(({ ranges }) => (ranges === undefined ? [] : [ranges])),
        allowsStart: items.some(({ kind }) => kind === 'start'),
      }
    : undefined
}

function visit(node, visitor) {
  visitor(node)
  for (const child of node.nodes ?? (node.node === undefined ? [] : [node.node])) visit(child, visitor)
}

/** Returns an expression that matches the reversed texts. */
function reverse(node) {
  if (node.type === 'sequence') return { ...node, nodes: node.nodes.map(reverse).reverse() }
  if (node.type === 'alternatives') return { ...node, nodes: node.nodes.map(reverse) }
  if (node.type === 'repeat') return { ...node, node: reverse(node.node) }
  if (node.type === 'look') return { ...node, isBehind: !node.isBehind }
  const mirrored = { start: 'end', end: 'start' }[node.kind]
  return mirrored === undefined ? node : { ...node, kind: mirrored }
}

function addNode(graph, edges = {}) {
  graph.nodes.push({ empty: [], ...edges })
  return graph.nodes.length - 1
}

/** Adds the nodes of an expression before the node `to`. Returns the first of them. */
function add(graph, node, to) {
  switch (node.type) {
    case 'set':
      return addNode(graph, { reads: { mask: graph.alphabet.maskOf(node.ranges), to } })
    case 'sequence':
      return node.nodes.reduceRight((next, child) => add(graph, child, next), to)
    case 'alternatives':
      return addNode(graph, { empty: node.nodes.map((child) => ({ to: add(graph, child, to) })) })
    case 'assertion':
      return addNode(graph, { empty: [{ to, assertion: node.kind }] })
    case 'look':
      return addLook(graph, node, to)
    default:
      return addRepeat(graph, node, to)
  }
}

function addLook(graph, look, to) {
  const { isBehind, isNegative, node } = look
  const previous = toPrevious(look)
  if (previous !== undefined) {
    const mask = previous.sets.map(graph.alphabet.maskOf).reduce((a, b) => a | b, 0n)
    return addNode(graph, { empty: [{ to, assertion: { mask, allowsStart: previous.allowsStart, isNegative } }] })
  }
  if (!isBehind)
    return addNode(graph, { empty: [{ to: add(graph, node, addNode(graph, { isLookEnd: true })) }, { to }] })
  graph.behind.push(node)
  return to
}

/** A repetition with a higher limit takes as long as one without a limit, and would need that many nodes. */
const MOST_COPIES = 1_000

function addRepeat(graph, { node, least, most }, to) {
  let next = to
  if (most - least > MOST_COPIES) {
    next = addNode(graph)
    graph.nodes[next].empty.push({ to: add(graph, node, next) }, { to })
  } else {
    for (let count = least; count < most; count++)
      next = addNode(graph, { empty: [{ to: add(graph, node, next) }, { to }] })
  }
  for (let count = 0; count < least; count++) next = add(graph, node, next)
  return next
}

/**
 * Explores the states of a search. `ends` are the characters before which the search ends there with a match, `mayEnd`
 * is true if it does at the end of the text, and `accepts` if it does whatever follows.
 */
function exploreStates(search) {
  const { kinds, any } = search.graph.alphabet
  const states = []
  const known = new Map()
  const toState = (node, kind) => {
    const key = `${node} ${kind}`
    if (!known.has(key)) {
      known.set(key, states.length)
      states.push({ node, kind })
    }
    return known.get(key)
  }
  const expand = ({ node, kind }) => {
    const { reads, ends, mayEnd } = followEmptyEdges(search, node === 'before' ? search.start : node, kind)
    if (node === 'before' && !search.isSticky) reads.push({ mask: any, to: 'before' })
    const next = reads.flatMap(({ mask, to }) =>
      kinds.flatMap((each) => ((mask & each) === 0n ? [] : [{ mask: mask & each, to: toState(to, each) }])),
    )
    return { next, ends, mayEnd, accepts: mayEnd && ends === any }
  }
  toState('before', 0n)
  for (let index = 0; index < states.length; index++) Object.assign(states[index], expand(states[index]))
  return { states, characters: search.graph.alphabet.characters, any }
}

/** Follows edges that read nothing. `kind` is the kind of the character before; zero at the start of the text. */
function followEmptyEdges(search, from, kind) {
  const { alphabet, nodes, end } = search.graph
  const result = { reads: [], ends: 0n, mayEnd: false }
  const known = new Set()
  const open = [{ node: from, mask: alphabet.any, mayEnd: true }]
  while (open.length > 0) {
    const { node, mask, mayEnd } = open.pop()
    const key = `${node} ${mask} ${mayEnd}`
    if (known.has(key) || (mask === 0n && !mayEnd)) continue
    known.add(key)
    if (node === end) {
      result.mayEnd ||= mayEnd
      result.ends |= mask
    }
    const { empty, reads } = nodes[node]
    if (reads !== undefined && (reads.mask & mask) !== 0n) result.reads.push({ mask: reads.mask & mask, to: reads.to })
    for (const { to, assertion } of empty)
      open.push({ node: to, ...restrict(search, { kind, mask, mayEnd }, assertion) })
  }
  return result
}

const NOTHING = { mask: 0n, mayEnd: false }

/** Returns what may follow where an assertion holds: characters, and the end of the text. */
function restrict({ graph, isMultiline }, { kind, mask, mayEnd }, assertion) {
  const { word, lineEnd, any } = graph.alphabet
  const isAtStart = kind === 0n || (isMultiline && (kind & lineEnd) !== 0n)
  if (assertion === undefined) return { mask, mayEnd }
  if (assertion === 'start') return isAtStart ? { mask, mayEnd } : NOTHING
  if (assertion === 'end') return { mask: isMultiline ? mask & lineEnd : 0n, mayEnd }
  if (typeof assertion === 'object') {
    const holds = (kind & assertion.mask) !== 0n || (assertion.allowsStart && isAtStart)
    return holds !== assertion.isNegative ? { mask, mayEnd } : NOTHING
  }
  const wantsWord = (assertion === 'boundary') !== ((kind & word) !== 0n)
  return { mask: mask & (wantsWord ? word : any & ~word), mayEnd: mayEnd && !wantsWord }
}
