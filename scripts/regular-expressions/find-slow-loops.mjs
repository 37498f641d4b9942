import { toAutomata } from './automaton.mjs'

/**
 * Returns a text whose repetition may take a search for a regular expression more than linear time, because two loops
 * of the search both match it. Undefined if the search is linear.
 *
 * The criterion is that of infinitely ambiguous automata (Weber and Seidl): there are states p and q and a text that
 * leads from p to p, from p to q, and from q to q. The search for the start of a match is a loop, too. A lookahead or
 * lookbehind counts as if it always held, so that some linear expressions are rejected. The criterion does not cover
 * code that calls a linear expression once for each position of a text.
 */
export function findSlowLoops(source, flags = '') {
  for (const automaton of toAutomata(source, flags)) {
    const found = findInAutomaton(automaton)
    if (found !== undefined) return found
  }
  return undefined
}

function findInAutomaton({ states, characters, any }) {
  const components = findComponents(states)
  const universal = findUniversal(states, any)
  const isLoop = (index) => states[index].next.some(({ to }) => components[to] === components[index])
  const loops = states.flatMap((_, index) => (isLoop(index) ? [index] : []))
  const previous = toPreviousStates(states)
  // Other loops end with a match, so that nothing is tried again.
  for (const q of loops.filter((index) => !states[index].accepts && !universal.has(index))) {
    const search = { states, components, characters, before: findStatesBefore(previous, q) }
    for (const p of loops.filter((index) => search.before.has(index))) {
      const text = p === q ? findTwoWays(search, p) : findPump(search, p, q)
      if (text !== undefined) return text
    }
  }
  return undefined
}

/** Returns the states from which every text leads to a match. */
function findUniversal(states, any) {
  const universal = new Set(states.flatMap(({ mayEnd }, index) => (mayEnd ? [index] : [])))
  for (let size = -1; size !== universal.size; ) {
    size = universal.size
    for (const index of universal) {
      const { next, ends } = states[index]
      const covered = next.reduce((mask, { mask: read, to }) => (universal.has(to) ? mask | read : mask), ends)
      if (covered !== any) universal.delete(index)
    }
  }
  return universal
}

/**
 * Returns a text that leads from p to p, from p to q and from q to q. No match may end on the way from q to q, because
 * the search would continue after the match.
 */
function findPump({ states, components, characters, before }, p, q) {
  const allowed = [
    (state) => components[state] === components[p],
    (state) => before.has(state),
    (state) => components[state] === components[q],
  ]
  return findText(characters, [p, p, q], [p, q, q], (from) =>
    combineSteps(states, from, allowed)
      .map(({ mask, to }) => ({ mask: mask & ~states[from[2]].ends, to }))
      .filter(({ mask }) => mask !== 0n),
  )
}

/** Returns a text that leads from p to p on two different paths. */
function findTwoWays({ states, components, characters }, p) {
  const isWithin = (state) => components[state] === components[p]
  return findText(characters, [p, p, 0], [p, p, 1], ([a, b, differs]) =>
    combineSteps(states, [a, b], [isWithin, isWithin]).map(({ mask, to: [toA, toB] }) => ({
      mask,
      to: [toA, toB, differs === 1 || toA !== toB ? 1 : 0],
    })),
  )
}

/** Returns the steps that several states do on the same character, each to an allowed state. */
function combineSteps(states, indexes, allowed) {
  return indexes.reduce(
    (combined, index, position) => {
      const steps = states[index].next.filter(({ to }) => allowed[position](to))
      return combined.flatMap(({ mask, to }) =>
        steps.flatMap((step) => ((mask & step.mask) === 0n ? [] : [{ mask: mask & step.mask, to: [...to, step.to] }])),
      )
    },
    [{ mask: -1n, to: [] }],
  )
}

function toPreviousStates(states) {
  const previous = states.map(() => [])
  for (const [index, { next }] of states.entries()) for (const { to } of next) previous[to].push(index)
  return previous
}

/** Returns the states that lead to a state. */
function findStatesBefore(previous, state) {
  const before = new Set([state])
  for (const each of before) for (const index of previous[each]) before.add(index)
  return before
}

/** Returns a shortest text from one tuple to another. */
function findText(characters, from, to, stepsOf) {
  const target = to.join()
  const known = new Set()
  let open = [{ tuple: from, text: '' }]
  while (open.length > 0) {
    const reached = []
    for (const { tuple, text } of open) {
      for (const step of stepsOf(tuple)) {
        const longer = text + characterOf(characters, step.mask)
        const key = step.to.join()
        if (key === target) return longer
        if (known.has(key)) continue
        known.add(key)
        reached.push({ tuple: step.to, text: longer })
      }
    }
    open = reached
  }
  return undefined
}

const characterOf = (characters, mask) => String.fromCodePoint(characters[mask.toString(2).length - 1])

/** Returns the number of the strongly connected component of each state (Tarjan, without recursion). */
function findComponents(states) {
  const components = new Array(states.length)
  const lowest = new Array(states.length)
  const stack = []
  let count = 0
  for (const root of states.keys()) {
    const calls = lowest[root] === undefined ? [{ index: root, edge: 0 }] : []
    while (calls.length > 0) {
      const call = calls.at(-1)
      const { index } = call
      if (call.edge === 0) {
        lowest[index] = call.number = count++
        stack.push(index)
      }
      const to = states[index].next[call.edge++]?.to
      if (to !== undefined) {
        if (lowest[to] === undefined) calls.push({ index: to, edge: 0 })
        else if (components[to] === undefined) lowest[index] = Math.min(lowest[index], lowest[to])
        continue
      }
      calls.pop()
      const caller = calls.at(-1)
      if (caller !== undefined) lowest[caller.index] = Math.min(lowest[caller.index], lowest[index])
      if (lowest[index] < call.number) continue
      for (const member of stack.splice(stack.lastIndexOf(index))) components[member] = index
    }
  }
  return components
}
