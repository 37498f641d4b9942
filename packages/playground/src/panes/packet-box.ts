import type { Origin } from '@kube-rules/types'
import { createButton, createElement } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import type { RulesResult } from '../engine/results.js'
import { parsePacketText, replacePacketOrigin } from '../question/packet-text.js'
import type { PageContext } from './page-context.js'

export interface PacketBox {
  readonly panel: HTMLElement
  /** Sets the packets that the packet box suggests: those of the rules, and one for each Service. */
  suggest(rules: Pick<RulesResult, 'packets' | 'servicePorts'>): void
  /** Updates the state of the buttons to the current request. */
  show(): void
  load(): void
  focus(): void
}

const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** Creates the bar with the text of a packet, its origin, and the rules that it traverses. */
export function createPacketBox({ question }: PageContext): PacketBox {
  const suggestions = createElement('datalist', { id: 'packets' })
  const box = createElement('input', {
    type: 'text',
    id: 'packet',
    list: 'packets',
    autocomplete: 'off',
    spellcheck: 'false',
    placeholder: 'from pod → 10.96.0.10:53/udp',
    oninput: () => question.set({ packet: box.value }),
  })
  const toggle = (label: string, onclick: () => void, attributes = {}) =>
    createButton(label, onclick, { 'aria-pressed': 'false', ...attributes })
  const origins = ORIGINS.map((origin) =>
    toggle(
      `from ${origin}`,
      () => {
        box.value = replacePacketOrigin(box.value, origin)
        question.set({ packet: box.value })
      },
      { value: origin },
    ),
  )
  const through = toggle('through the dump', () =>
    question.set({ through: question.get().through === 'dump' ? 'rules' : 'dump' }),
  )
  const established = toggle('of an existing flow', () => question.set({ established: !question.get().established }), {
    title: 'A packet of an existing connection',
  })
  const panel = createElement(
    'form',
    { class: 'bar', onsubmit: (event: Event) => event.preventDefault() },
    createElement('label', { for: 'packet' }, 'Packet'),
    box,
    suggestions,
    createElement('span', { class: 'segmented', role: 'group', 'aria-label': 'Where it comes from' }, ...origins),
    established,
    through,
    createElement('span', { class: 'grow' }),
  )

  const fillSuggestions = callWhenChanged((packets: readonly string[]) =>
    suggestions.replaceChildren(...packets.map((value) => createElement('option', { value }))),
  )

  function show(): void {
    const asked = question.get()
    const read = parsePacketText(asked.packet, asked.namespace || undefined)
    established.setAttribute('aria-pressed', String(asked.established))
    for (const button of origins)
      button.setAttribute('aria-pressed', String(read.ok && read.value.from === button.value))
    through.hidden = asked.dump.trim() === ''
    through.setAttribute('aria-pressed', String(asked.through === 'dump'))
  }

  return {
    panel,
    suggest: (rules) => fillSuggestions(listSuggestions(rules)),
    show,
    load: () => {
      const { packet } = question.get()
      if (box.value !== packet) box.value = packet
    },
    focus: () => box.select(),
  }
}

function listSuggestions({ packets, servicePorts }: Pick<RulesResult, 'packets' | 'servicePorts'>): readonly string[] {
  const services = new Set(
    servicePorts.map(({ name: servicePort }) => {
      const [namespace, name = ''] = servicePort.split('/')
      return `from pod → ${namespace}/${name.split(':')[0]}`
    }),
  )
  return [...packets, ...services]
}
