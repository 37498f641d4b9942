import { element } from './dom/element.js'
import { createTabs } from './dom/tabs.js'
import { createThemeButton } from './dom/theme.js'
import { createClient } from './engine/client.js'
import { createLatestOnlyQueue } from './engine/latest-only-queue.js'
import type { EngineResults, ResultKind } from './engine/results.js'
import { createChangePane } from './panes/change-pane.js'
import { createComparisonPane } from './panes/comparison-pane.js'
import { createDumpPane } from './panes/dump-pane.js'
import { createGallery, getFirstExample } from './panes/gallery-dialog.js'
import { createObjectsPane } from './panes/objects-pane.js'
import { createPacketPane } from './panes/packet-pane.js'
import { createPageContext, numberServicePorts } from './panes/page-context.js'
import { createRulesPane } from './panes/rules-pane.js'
import { createSettingsBar } from './panes/settings-bar.js'
import { decodeRequestHash, encodeRequestHash } from './question/permalink.js'
import type { PlaygroundRequest } from './question/playground-request.js'

/** The result part of each pane on the right. The rules and packet parts are always visible. */
const PARTS: Readonly<Record<string, ResultKind>> = { change: 'change', comparison: 'comparison', dump: 'dump' }

/**
 * Builds the page and updates it after each change of the request. `script` is the script of the page, for a worker.
 */
export async function startPage(script: string | undefined): Promise<void> {
  const context = createPageContext((await decodeRequestHash(location.hash)) ?? getFirstExample())
  const { question, attention, ports } = context
  const settings = createSettingsBar(context)
  const objects = createObjectsPane(context)
  const rules = createRulesPane(context)
  const change = createChangePane(context)
  const comparison = createComparisonPane(context)
  const dump = createDumpPane(context)
  const packet = createPacketPane(context)
  const gallery = createGallery((chosen) => question.set(chosen))
  const tabs = createTabs(
    'Output',
    [
      { id: 'rules', label: 'Rules', panel: rules.panel },
      { id: 'change', label: 'Before and after', panel: change.panel },
      { id: 'comparison', label: 'Compare', panel: comparison.panel },
      { id: 'dump', label: 'Node dump', panel: dump.panel },
    ],
    (pane) => question.set({ pane }),
  )
  const fault = element('p', { class: 'fault', role: 'alert', hidden: true })
  const share: HTMLButtonElement = element(
    'button',
    { type: 'button', class: 'small', onclick: () => void copyLink() },
    'Copy link',
  )
  document.body.append(
    element(
      'header',
      { class: 'top' },
      element('h1', {}, 'kube-rules', element('span', {}, ' playground')),
      element('button', { type: 'button', class: 'primary', onclick: () => gallery.showModal() }, 'Examples'),
      settings.bar,
      element('span', { class: 'grow' }),
      share,
      createThemeButton(),
    ),
    fault,
    element(
      'main',
      {},
      objects.pane,
      element(
        'section',
        { class: 'pane output', 'aria-label': 'Output' },
        element('div', { class: 'bar' }, tabs.list),
        rules.panel,
        change.panel,
        comparison.panel,
        dump.panel,
      ),
      packet.pane,
    ),
    gallery,
  )

  const show: { readonly [P in ResultKind]: (answer: EngineResults[P]) => void } = {
    rules: (answer) => {
      ports.set(numberServicePorts(answer.servicePorts.map(({ name }) => name)))
      settings.show(answer)
      objects.show(answer)
      rules.show(answer)
      comparison.know(answer)
      packet.know(answer)
      performance.measure('rules', 'asked')
    },
    packet: (answer) => {
      if (answer.isLive) dump.setSelectableLines(answer.lines)
      else rules.setSelectableLines(answer.lines)
      packet.show(answer)
    },
    change: change.show,
    comparison: comparison.show,
    dump: (answer) => {
      rules.setSelectableLines(answer.lines)
      dump.show(answer)
    },
  }
  const asker = createLatestOnlyQueue(
    createClient(script),
    (part, answer) => show[part](answer),
    (error) => {
      fault.hidden = false
      fault.textContent = `This is a bug in kube-rules: ${error instanceof Error ? error.message : String(error)}`
    },
    () => {
      document.body.dataset.state = 'answered'
      performance.measure('all', 'asked')
    },
  )

  function answer(): void {
    document.body.dataset.state = 'asking'
    performance.mark('asked')
    fault.hidden = true
    const asked = question.get()
    const part = PARTS[asked.pane]
    asker.ask(asked, ['rules', 'packet', ...(part === undefined ? [] : [part])])
  }

  /** Shows texts of a request that do not originate in the editors. */
  function load(): void {
    objects.load()
    dump.load()
    packet.load()
    tabs.show(question.get().pane)
  }

  let link: ReturnType<typeof setTimeout> | undefined
  question.subscribe((asked) => {
    load()
    answer()
    clearTimeout(link)
    link = setTimeout(() => void keepLink(asked), LINK_DELAY + lengthOf(asked) / 500)
  })
  // Shows rules that are selected in another pane.
  attention.subscribe(({ rules: chosen }, before) => {
    if (chosen === before.rules || chosen.length === 0) return
    const { through, dump: held, pane } = question.get()
    const expected = through === 'dump' && held.trim() !== '' ? 'dump' : 'rules'
    if (pane !== expected && pane !== 'dump') question.set({ pane: expected })
  })
  addEventListener('hashchange', async () => {
    const linked = await decodeRequestHash(location.hash)
    if (linked !== undefined) question.set(linked)
  })
  load()
  answer()

  async function copyLink(): Promise<void> {
    await keepLink(question.get())
    const isCopied = await copy(location.href)
    share.textContent = isCopied ? 'Link copied' : 'Link is in the address bar'
    setTimeout(() => {
      share.textContent = 'Copy link'
    }, 2500)
  }
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

async function keepLink(asked: PlaygroundRequest): Promise<void> {
  if (lengthOf(asked) > MOST_TEXT) return
  const hash = await encodeRequestHash(asked)
  // Browsers reject longer links.
  if (hash.length < MOST_LINK && hash !== location.hash) history.replaceState(null, '', hash)
}

function lengthOf({ objects, before, dump }: PlaygroundRequest): number {
  return objects.length + before.length + dump.length
}

/** Milliseconds without a change before the link updates; longer for texts that take long to deflate. */
const LINK_DELAY = 400
const MOST_LINK = 500_000
const MOST_TEXT = 4_000_000
