import type { RuleReference, ViewNode } from '@kube-rules/analyzer/view'
import type { TreeOptions } from '../dom/tree.js'
import { isFieldOfRule } from '../editor/field-links.js'
import type { HighlightedLines, OwnerHandlers } from '../editor/line-owners.js'
import type { RulesResult } from '../engine/results.js'
import { assignHues } from '../question/assign-hues.js'
import type { PlaygroundRequest } from '../question/playground-request.js'
import { createStore, type Store } from '../question/store.js'
import type { ResultHandlers } from './pane.js'

/** The items under the pointer and the selected items. Service ports are numbers from 1, as in the results. */
export interface Highlighting {
  /** The service ports that are highlighted while the pointer or the keyboard focus is on them. */
  readonly looked: readonly number[]
  /** The service ports that stay highlighted until the next selection. */
  readonly chosen: readonly number[]
  /** The selected rules, as text. */
  readonly rules: readonly string[]
  /**
   * The editor line under the pointer, or the line that the user jumps from; its text is empty if there is no such
   * line.
   */
  readonly line: EditorLine
}

export interface EditorLine {
  readonly side: EditorSide
  readonly text: string
  /** Whether the user jumps from this line to the linked line in the other editor. */
  readonly isJump?: boolean
  /** Whether a lesson shows the rule of this line. */
  readonly isStep?: boolean
}

export type EditorSide = 'objects' | 'rules'

/** The service ports of the latest result, each with a number from 1 and a hue. */
export interface NumberedServicePorts {
  readonly names: readonly string[]
  readonly hues: readonly number[]
}

/** The shared state of all panes. */
export interface PageContext {
  readonly question: Store<PlaygroundRequest>
  readonly attention: Store<Highlighting>
  readonly ports: Store<NumberedServicePorts>
}

export function createPageContext(question: PlaygroundRequest): PageContext {
  return {
    question: createStore(question),
    attention: createStore<Highlighting>({ looked: [], chosen: [], rules: [], line: { side: 'objects', text: '' } }),
    ports: createStore<NumberedServicePorts>({ names: [], hues: [] }),
  }
}

/** Returns the handler that numbers the service ports of each new result. */
export function updateServicePorts({ ports }: PageContext): ResultHandlers {
  let shown: RulesResult['servicePorts'] | undefined
  return {
    rules: ({ servicePorts }) => {
      if (servicePorts === shown) return
      shown = servicePorts
      const names = servicePorts.map(({ name }) => name)
      ports.set({ names, hues: assignHues(names) })
    },
  }
}

/** Returns the number of a service port by its name; undefined if it does not exist. */
export function findServicePortNumber(
  servicePort: string | undefined,
  { names }: NumberedServicePorts,
): number | undefined {
  const index = servicePort === undefined ? -1 : names.indexOf(servicePort)
  return index < 0 ? undefined : index + 1
}

export function hueOf(servicePort: string | undefined, ports: NumberedServicePorts): number | undefined {
  const number = findServicePortNumber(servicePort, ports)
  return number === undefined ? undefined : ports.hues[number - 1]
}

/** Returns the highlighted lines of an editor. */
export function selectHighlightedLines({ looked, chosen, line }: Highlighting, side: EditorSide): HighlightedLines {
  return {
    ports: new Set(looked.length > 0 ? looked : chosen),
    isLinked: (text) => {
      if (line.side === side) return false
      return side === 'rules' ? isFieldOfRule(line.text, text) : isFieldOfRule(text, line.text)
    },
  }
}

/** Returns handlers that highlight or select the service ports of a line. */
export function createOwnerHandlers({ attention }: PageContext, side: EditorSide): OwnerHandlers {
  return {
    onHighlight: (looked, text) => attention.set({ looked, line: { side, text } }),
    onChoose: (chosen) => attention.set({ chosen, looked: [], rules: [] }),
    onJump: (chosen, text) => attention.set({ chosen, looked: [], rules: [], line: { side, text, isJump: true } }),
  }
}

/** Builds the options that connect view trees with the selection. */
export function createTreeOptions(
  label: string,
  { attention, ports }: PageContext,
  keyOf: (rule: RuleReference) => string,
): TreeOptions {
  const numbersOf = ({ servicePort }: ViewNode) => {
    const number = findServicePortNumber(servicePort, ports.get())
    return number === undefined ? [] : [number]
  }
  return {
    label,
    portOf: (servicePort) => {
      const number = findServicePortNumber(servicePort, ports.get())
      const hue = hueOf(servicePort, ports.get())
      return number === undefined || hue === undefined ? undefined : { number, hue }
    },
    rulesOf: ({ rules }) => rules.map(keyOf),
    onChoose: (node) => attention.set({ looked: [], chosen: numbersOf(node), rules: node.rules.map(keyOf) }),
    onHighlight: (node) => attention.set({ looked: node === undefined ? [] : numbersOf(node) }),
  }
}
