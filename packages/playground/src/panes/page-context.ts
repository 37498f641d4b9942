import type { RuleReference, ViewNode } from '@kube-rules/analyzer/view'
import type { TreeOptions } from '../dom/tree.js'
import { huesOf } from '../question/hues.js'
import type { Question } from '../question/question.js'
import { createStore, type Store } from '../question/store.js'

/** What the pointer is on and what is chosen. Service ports are numbers from 1, as in the answers. */
export interface Attention {
  /** Lit up while the pointer or the keyboard is there. */
  readonly looked: readonly number[]
  /** Lit up until something else is chosen. */
  readonly chosen: readonly number[]
  /** Rules that are chosen, in words. */
  readonly rules: readonly string[]
}

/** The service ports of the last answer, each with a number from 1 and a hue. */
export interface Ports {
  readonly names: readonly string[]
  readonly hues: readonly number[]
}

/** What the panes have in common. */
export interface PageContext {
  readonly question: Store<Question>
  readonly attention: Store<Attention>
  readonly ports: Store<Ports>
}

export function createContext(question: Question): PageContext {
  return {
    question: createStore(question),
    attention: createStore<Attention>({ looked: [], chosen: [], rules: [] }),
    ports: createStore<Ports>({ names: [], hues: [] }),
  }
}

export function portsNamed(names: readonly string[]): Ports {
  return { names, hues: huesOf(names) }
}

/** The number of a service port by its name; undefined where it is none of those that there are. */
export function numberOf(servicePort: string | undefined, { names }: Ports): number | undefined {
  const index = servicePort === undefined ? -1 : names.indexOf(servicePort)
  return index < 0 ? undefined : index + 1
}

export function hueOf(servicePort: string | undefined, ports: Ports): number | undefined {
  const number = numberOf(servicePort, ports)
  return number === undefined ? undefined : ports.hues[number - 1]
}

/** The service ports that are lit up. */
export function litPorts({ looked, chosen }: Attention): ReadonlySet<number> {
  return new Set(looked.length > 0 ? looked : chosen)
}

/** How trees of views tell what is chosen in them. */
export function treeOptions(
  label: string,
  { attention, ports }: PageContext,
  keyOf: (rule: RuleReference) => string,
): TreeOptions {
  const numbersOf = ({ servicePort }: ViewNode) => {
    const number = numberOf(servicePort, ports.get())
    return number === undefined ? [] : [number]
  }
  return {
    label,
    portOf: (servicePort) => {
      const number = numberOf(servicePort, ports.get())
      const hue = hueOf(servicePort, ports.get())
      return number === undefined || hue === undefined ? undefined : { number, hue }
    },
    onChoose: (node) => attention.set({ looked: [], chosen: numbersOf(node), rules: node.rules.map(keyOf) }),
    onLook: (node) => attention.set({ looked: node === undefined ? [] : numbersOf(node) }),
  }
}
