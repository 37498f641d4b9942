import { filesImportedBy } from './check-file.mjs'

/** Files that still import each other in circles, by knot. A knot without a circle has to leave the list. */
export const KNOTS = [
  [
    'compiler/compile.ts',
    'compiler/compilation/compilation.ts',
    'compiler/compilation/compile-context.ts',
    'compiler/compilation/compile-family.ts',
    'compiler/compilation/lower-ports.ts',
    'compiler/compilation/object-index.ts',
    'compiler/compilation/service-record.ts',
  ],
  ['cli/commands/diff.ts', 'cli/commands/diff/run-diff.ts'],
  [
    'cli/commands/explain.ts',
    'cli/commands/explain/explained-node.ts',
    'cli/commands/explain/packets.ts',
    'cli/commands/explain/run-explain.ts',
  ],
  ['cli/commands/render.ts', 'cli/commands/render/run-render.ts'],
  ['cli/commands/verify.ts', 'cli/commands/verify/run-verify.ts'],
]

/**
 * What is wrong with the imports of all files together, as messages: circles outside `knots`, and knots that are none.
 * `sources` has the text of every file by its path, such as `compiler/plan/decide.ts`.
 */
export function checkCircles(sources, knots) {
  const circles = findCircles(sources)
  const unknown = circles.filter((circle) => !knots.some((knot) => isWithin(circle, knot)))
  const untied = knots.filter((knot) => !circles.some((circle) => isWithin(circle, knot)))
  return [
    ...unknown.map((circle) => `circle of imports: ${[...circle, circle[0]].join(' -> ')}`),
    ...untied.map((knot) => `no circle is left in a knot: take ${knot.join(', ')} from scripts/imports/circles.mjs`),
  ]
}

/**
 * For every file that leads back to itself a shortest way to do so, imports of types included: the files of the circle,
 * beginning with the least, each circle once, in order.
 */
export function findCircles(sources) {
  const imports = new Map([...sources].map(([path, text]) => [path, filesImportedBy(path, text)]))
  const circles = new Map()
  for (const path of imports.keys()) {
    const circle = shortestCircle(path, imports)
    if (circle !== undefined) circles.set(circle.join(' '), circle)
  }
  return [...circles.keys()].sort().map((key) => circles.get(key))
}

/** Goes from file to file, nearest first; `ways` has the way to each file that was reached, and grows on the way. */
function shortestCircle(start, imports) {
  const ways = new Map([[start, [start]]])
  for (const [path, way] of ways) {
    for (const next of imports.get(path) ?? []) {
      if (next === start) return beginningWithLeast(way)
      if (!ways.has(next)) ways.set(next, [...way, next])
    }
  }
  return undefined
}

function beginningWithLeast(circle) {
  const first = circle.indexOf([...circle].sort()[0])
  return [...circle.slice(first), ...circle.slice(0, first)]
}

function isWithin(circle, knot) {
  return circle.every((path) => knot.includes(path))
}
