import type { RuleReference, ViewNode } from '@kube-rules/analyzer/view'
import type { TreeOptions } from '../dom/tree.js'
import { huesOf } from '../question/hues.js'
import type { Question } from '../question/question.js'
import { createStore, type Store } from '../question/store.js'

/** The pointed-at and the selected items. Service ports are numbers from 1, as in the results. */
export interface Highlighting {
  /** Highlighted while the pointer or the keyboard focus is on them. */
  readonly looked: readonly number[]
  /** Highlighted until the next selection. */
  readonly chosen: readonly number[]
  /** The selected rules, as text. */
  readonly rules: readonly string[]
}

/** The service ports of the latest result, each with a number from 1 and a hue. */
export interface Ports {
  readonly names: readonly string[]
  readonly hues: readonly number[]
}

/** The shared state of all panes. */
export interface PageContext {
  readonly question: Store<Question>
  readonly attention: Store<Highlighting>
  readonly ports: Store<Ports>
}

export function createContext(question: Question): PageContext {
  return {
    question: createStore(question),
    attention: createStore<Highlighting>({ looked: [], chosen: [], rules: [] }),
    ports: createStore<Ports>({ names: [], hues: [] }),
  }
}

export function portsNamed(names: readonly string[]): Ports {
  return { names, hues: huesOf(names) }
}

/** Returns the number of a service port by its name; undefined if it does not exist. */
export function numberOf(servicePort: string | undefined, { names }: Ports): number | undefined {
  const index = servicePort === undefined ? -1 : names.indexOf(servicePort)
  return index < 0 ? undefined : index + 1
}

export function hueOf(servicePort: string | undefined, ports: Ports): number | undefined {
  const number = numberOf(servicePort, ports)
  return number === undefined ? undefined : ports.hues[number - 1]
}

/** Returns the highlighted service ports. */
export function highlightedPorts({ looked, chosen }: Highlighting): ReadonlySet<number> {
  return new Set(looked.length > 0 ? looked : chosen)
}

/** Builds the options that connect view trees with the selection. */
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
    onHighlight: (node) => attention.set({ looked: node === undefined ? [] : numbersOf(node) }),
  }
}
