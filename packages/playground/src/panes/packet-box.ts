import type { Origin } from '@kube-rules/types'
import { createElement } from '../dom/create-element.js'
import { callWhenChanged } from '../dom/when-changed.js'
import { parsePacketText, replacePacketOrigin } from '../question/packet-text.js'
import type { PageContext } from './page-context.js'

export interface PacketBox {
  readonly bar: HTMLElement
  /** Sets the packets that the packet box suggests, and the names of the service ports: `default/web:http/TCP`. */
  readonly suggest: (packets: readonly string[], servicePorts: readonly string[]) => void
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
  const origins = ORIGINS.map((origin) =>
    createElement(
      'button',
      {
        type: 'button',
        class: 'small',
        value: origin,
        'aria-pressed': 'false',
        onclick: () => ask(replacePacketOrigin(box.value, origin)),
      },
      `from ${origin}`,
    ),
  )
  const through = createElement(
    'button',
    {
      type: 'button',
      class: 'small',
      'aria-pressed': 'false',
      onclick: () => question.set({ through: question.get().through === 'dump' ? 'rules' : 'dump' }),
    },
    'through the dump',
  )
  const established = createElement(
    'button',
    {
      type: 'button',
      class: 'small',
      title: 'A packet of an existing connection',
      onclick: () => question.set({ established: !question.get().established }),
    },
    'of an existing flow',
  )
  const bar = createElement(
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
  function ask(packet: string): void {
    box.value = packet
    question.set({ packet })
  }

  const fillSuggestions = callWhenChanged((packets: readonly string[]) =>
    suggestions.replaceChildren(...packets.map((value) => createElement('option', { value }))),
  )

  function suggest(packets: readonly string[], servicePorts: readonly string[]): void {
    const services = new Set(
      servicePorts.map((servicePort) => {
        const [namespace, name = ''] = servicePort.split('/')
        return `from pod → ${namespace}/${name.split(':')[0]}`
      }),
    )
    fillSuggestions([...packets, ...services])
  }

  function show(): void {
    const asked = question.get()
    const read = parsePacketText(asked.packet, asked.namespace || undefined)
    established.setAttribute('aria-pressed', String(asked.established))
    for (const button of origins)
      button.setAttribute('aria-pressed', String(read.ok && read.value.from === button.value))
    through.hidden = asked.dump.trim() === ''
    through.setAttribute('aria-pressed', String(asked.through === 'dump'))
  }

  function load(): void {
    const { packet } = question.get()
    if (box.value !== packet) box.value = packet
  }

  return { bar, suggest, show, load, focus: () => box.select() }
}
