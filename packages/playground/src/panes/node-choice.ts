import { createElement } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import type { RulesResult } from '../engine/results.js'
import type { PageContext } from './page-context.js'
import { createLabelledSelect, fillSelect } from './settings-bar.js'

export interface NodeChoice {
  readonly panel: HTMLElement
  update(answer: RulesResult): void
}

type ShownChoice = Pick<RulesResult, 'nodes' | 'node' | 'nodeReason' | 'otherNode'> & { readonly chosen: string }

/** Creates the line with the node that the packet arrives at, the reason for this node, and a choice of another. */
export function createNodeChoice({ question }: PageContext): NodeChoice {
  const select = createElement('select', { onchange: () => question.set({ node: select.value }) })
  const reason = createElement('span', { class: 'hint' })
  const switchNode = createElement('button', { type: 'button', class: 'small' })
  const panel = createElement(
    'div',
    { class: 'node-choice', hidden: true },
    createLabelledSelect('Node', select),
    reason,
    switchNode,
  )

  const fill = callWhenChanged(({ nodes, node, nodeReason, otherNode, chosen }: ShownChoice) => {
    panel.hidden = nodes.length === 0 || (nodes.length === 1 && nodes[0] === node && chosen === '')
    const auto = { value: '', label: chosen !== '' ? 'auto' : node === '' ? 'none' : `auto (${node})` }
    fillSelect(select, [auto, ...nodes.map((name) => ({ value: name, label: name }))], chosen)
    reason.textContent = otherNode === '' ? nodeReason : `the packet goes to an address of ${otherNode}`
    switchNode.hidden = otherNode === ''
    switchNode.textContent = `Use ${otherNode}`
    switchNode.onclick = () => question.set({ node: otherNode })
  })

  return {
    panel,
    update: ({ nodes, node, nodeReason, otherNode, failure }) => {
      if (failure === '') fill({ nodes, node, nodeReason, otherNode, chosen: question.get().node })
    },
  }
}
