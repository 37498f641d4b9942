import type { Step } from '../dataplane/netfilter/branch.js'
import type { Way } from '../trace/trace.js'

/** The ways of a packet as a tree: what several have in common is there once. */
export interface StepTree {
  /** The beginning that all ways below have in common. */
  readonly steps: readonly Step[]
  /** How the ways go on; none where this is the end of one. */
  readonly branches: readonly StepTree[]
  /** How all of `branches` end alike, where each is a single way. */
  readonly tail: readonly Step[]
  /** The ways that lead through here. */
  readonly ways: readonly Way[]
}

/** The tree of the steps that lead somewhere. */
export function stepTree(ways: readonly Way[]): StepTree {
  return treeOf(ways.map((way) => ({ way, steps: leadingSteps(way.steps) })))
}

interface Path {
  readonly way: Way
  readonly steps: readonly Step[]
}

function treeOf(paths: readonly Path[]): StepTree {
  const ways = paths.map(({ way }) => way)
  const shared = sharedLength(paths.map(({ steps }) => steps))
  const steps = paths[0]?.steps.slice(0, shared) ?? []
  if (paths.length === 1) return { steps, branches: [], tail: [], ways }
  const rest = paths.map((path) => ({ ...path, steps: path.steps.slice(shared) }))
  const groups = groupByFirst(rest)
  const ending = groups.length === paths.length ? sharedLength(rest.map((path) => [...path.steps].reverse())) : 0
  const cut = (path: Path): Path => ({ ...path, steps: path.steps.slice(0, path.steps.length - ending) })
  const tail = ending === 0 ? [] : (rest[0]?.steps.slice(-ending) ?? [])
  return { steps, branches: groups.map((group) => treeOf(group.map(cut))), tail, ways }
}

function groupByFirst(paths: readonly Path[]): readonly (readonly Path[])[] {
  const groups = new Map<string, Path[]>()
  for (const path of paths) {
    const [first] = path.steps
    // A way that ends here is a group of its own, and so is each of several that do.
    const key = first === undefined ? `end ${groups.size}` : stepKey(first)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [path])
    else group.push(path)
  }
  return [...groups.values()]
}

/** How many steps the lists have in common at their beginning. */
function sharedLength([first = [], ...others]: readonly (readonly Step[])[]): number {
  const differs = first.findIndex((step, index) => others.some((steps) => !isSame(steps[index], step)))
  return differs < 0 ? first.length : differs
}

function isSame(a: Step | undefined, b: Step): boolean {
  return a !== undefined && stepKey(a) === stepKey(b)
}

function stepKey({ hook, by, text }: Step): string {
  return `${hook} ${by} ${text}`
}

/** Without returns, rules that only count, and jumps to chains in which nothing else happened. */
function leadingSteps(steps: readonly Step[]): readonly Step[] {
  const leading: Step[] = []
  for (const step of [...steps].reverse()) {
    const cameBack = step.verdict === '' || step.verdict === 'RETURN'
    if (!cameBack && (step.jumpsTo === '' || isEntered(step, leading.at(-1)))) leading.push(step)
  }
  return leading.reverse()
}

function isEntered({ jumpsTo, hook, by }: Step, next: Step | undefined): boolean {
  return next?.chain === jumpsTo && next.hook === hook && next.by === by
}
