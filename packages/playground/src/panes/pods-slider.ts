import { createElement } from '../dom/create-element.js'
import type { Editor } from '../editor/editors.js'

export interface PodsSlider {
  readonly label: HTMLElement
  /**
   * Shows the number of pods that the text of the editor contains. Hidden unless the text contains exactly one
   * `replicas` field.
   */
  show(text: string): void
}

const MOST_PODS = 10

/** Longer texts are not searched: they are manifests of whole clusters with several `replicas` fields. */
const MOST_TEXT = 100_000

/** Creates a slider that edits `replicas` in the objects, so that the rules of another number of pods appear. */
export function createPodsSlider(editor: () => Editor): PodsSlider {
  const range = createElement('input', { type: 'range', id: 'pods', min: 0, max: MOST_PODS, oninput: edit })
  const count = createElement('output', { for: 'pods' })
  const label = createElement('label', { class: 'hint slider pods', for: 'pods', hidden: true }, 'Pods ', range, count)

  function edit(): void {
    const { view } = editor()
    const replicas = findReplicas(view.state.doc.toString())
    if (replicas === undefined) return
    view.dispatch({ changes: { from: replicas.from, to: replicas.to, insert: range.value } })
  }

  return {
    label,
    show: (text) => {
      const replicas = findReplicas(text)
      label.hidden = replicas === undefined
      if (replicas === undefined) return
      range.valueAsNumber = replicas.replicas
      count.value = String(replicas.replicas)
    },
  }
}

interface Replicas {
  readonly replicas: number
  /** The position of the number in the text. */
  readonly from: number
  readonly to: number
}

/**
 * Finds the number of replicas in objects. Undefined if there is no `replicas` field, if there are several, or if the
 * number is above the maximum.
 */
export function findReplicas(text: string): Replicas | undefined {
  if (text.length > MOST_TEXT) return undefined
  const [found, ...others] = text.matchAll(/^[^#\n\r\u2028\u2029]*\breplicas"?: *(\d+)(?=[\s,}]|$)/gm)
  if (found?.[1] === undefined || others.length > 0) return undefined
  const replicas = Number(found[1])
  const to = found.index + found[0].length
  return replicas > MOST_PODS ? undefined : { replicas, from: to - found[1].length, to }
}
