import { createButton } from '../dom/create-element.js'
import type { PageContext } from './page-context.js'

/** Creates a button that puts a packet into the packet box and traces it through the rules or the dump. */
export function createTraceButton(
  text: string,
  packet: string,
  { question }: PageContext,
  through = 'rules',
): HTMLElement {
  const trace = () => question.set({ packet, through, established: false })
  return createButton(text, trace, { class: 'trace', title: `Trace ${packet}` })
}
