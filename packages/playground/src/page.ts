import { createElement } from './dom/create-element.js'
import { createMaximizer } from './dom/maximize.js'
import { createSplitter } from './dom/splitter.js'
import { createTabs } from './dom/tabs.js'
import { createThemeButton } from './dom/theme.js'
import { createEngineClient } from './engine/engine-client.js'
import { createLatestOnlyQueue } from './engine/latest-only-queue.js'
import type { EngineResults, ResultKind } from './engine/results.js'
import { createChangePane } from './panes/change-pane.js'
import { createComparisonPane } from './panes/comparison-pane.js'
import { createDumpPane } from './panes/dump-pane.js'
import { findExample, findExampleOfRequest, getFirstExample } from './panes/examples.js'
import { createGallery } from './panes/gallery-dialog.js'
import { createIntroduction } from './panes/introduction.js'
import { createObjectsPane } from './panes/objects-pane.js'
import { createPacketPane } from './panes/packet-pane.js'
import { createPageContext, numberServicePorts } from './panes/page-context.js'
import { createRulesPane } from './panes/rules-pane.js'
import { createSettingsBar } from './panes/settings-bar.js'
import { createShortcuts } from './panes/shortcuts-dialog.js'
import { parseLocation } from './question/location.js'
import { encodeRequestHash } from './question/permalink.js'
import { DEFAULT_REQUEST, type PlaygroundRequest } from './question/playground-request.js'
import { loadSavedLink, saveLink } from './question/saved-link.js'

/** The result part of each pane on the right. The rules and packet parts are always visible. */
const PARTS: Readonly<Record<string, ResultKind>> = { change: 'change', comparison: 'comparison', dump: 'dump' }

/**
 * Builds the page and updates it after each change of the request. `script` is the script of the page, for a worker.
 */
export async function startPage(script: string | undefined): Promise<void> {
  const opened = await parseLocation(location.hash, findExample)
  const context = createPageContext(opened.request ?? getFirstExample())
  const { question, attention, ports } = context
  document.body.dataset.view = opened.view
  document.getElementById('shell')?.remove()
  const settings = createSettingsBar(context)
  const objects = createObjectsPane(context)
  const rules = createRulesPane(context)
  const change = createChangePane(context)
  const comparison = createComparisonPane(context)
  const dump = createDumpPane(context)
  const packet = createPacketPane(context)
  const gallery = createGallery((name) => void openExample(name))
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
  const outputBar = createElement('div', { class: 'bar' }, tabs.list, createElement('span', { class: 'grow' }))
  const saved = loadSavedLink()
  const introduction = createIntroduction({
    learn: () => {
      void openExample('node-port')
      packet.play()
    },
    pasteObjects: () => {
      void begin({ ...DEFAULT_REQUEST })
      objects.focus()
    },
    pasteDump: () => {
      void begin({ ...DEFAULT_REQUEST, through: 'dump', pane: 'dump' })
      dump.focus()
    },
    resume:
      saved === undefined || opened.request !== undefined
        ? undefined
        : () => {
            location.hash = saved
          },
  })
  const shortcuts = createShortcuts([
    { key: '/', label: 'Write a packet', run: packet.focus },
    { key: 'e', label: 'Choose an example', run: () => gallery.showModal() },
    { key: 'o', label: 'Edit the objects', run: objects.focus },
    ...['rules', 'change', 'comparison', 'dump'].map((pane, index) => ({
      key: String(index + 1),
      label: `Show ${['the rules', 'before and after', 'a comparison', 'the node dump'][index]}`,
      run: () => question.set({ pane }),
    })),
  ])
  const notice = createElement('p', { class: 'notice', role: 'alert', hidden: opened.problem === '' }, opened.problem)
  const fault = createElement('p', { class: 'fault', role: 'alert', hidden: true })
  const share: HTMLButtonElement = createElement(
    'button',
    { type: 'button', class: 'small', onclick: () => void copyLink() },
    'Copy link',
  )
  const output = createElement(
    'section',
    { class: 'pane output', 'aria-label': 'Output' },
    outputBar,
    rules.panel,
    change.panel,
    comparison.panel,
    dump.panel,
  )
  const main = createElement('main', {}, objects.pane, output, packet.pane)
  const maximizeButton = createMaximizer(main)
  objects.bar.append(maximizeButton(objects.pane, 'the input'))
  outputBar.append(maximizeButton(output, 'the output'))
  packet.bar.append(maximizeButton(packet.pane, 'the packet'))
  main.append(
    createSplitter(main, {
      label: 'Width of the input',
      orientation: 'vertical',
      variable: '--input-width',
      initial: 42,
    }),
    createSplitter(main, {
      label: 'Height of the input and the output',
      orientation: 'horizontal',
      variable: '--upper-height',
      initial: 55,
    }),
  )
  document.body.append(
    createElement(
      'header',
      { class: 'top' },
      createElement('h1', {}, 'kube-rules', createElement('span', {}, ' playground')),
      createElement('button', { type: 'button', class: 'primary', onclick: () => gallery.showModal() }, 'Examples'),
      settings.bar,
      createElement('span', { class: 'grow' }),
      createElement(
        'span',
        { class: 'tools' },
        share,
        createThemeButton(),
        createElement(
          'button',
          {
            type: 'button',
            class: 'small',
            'aria-label': 'Keyboard shortcuts',
            title: 'Keyboard shortcuts, documentation and source (?)',
            onclick: () => shortcuts.showModal(),
          },
          '?',
        ),
      ),
    ),
    introduction.band,
    notice,
    fault,
    main,
    createElement(
      'a',
      { class: 'whole-page', target: '_blank', rel: 'noreferrer', href: wholePage(), onclick: openWholePage },
      'Open in the playground',
    ),
    gallery,
    shortcuts,
  )

  let shownPorts: EngineResults['rules']['servicePorts'] | undefined
  let isInvalid = false
  /** The panels with a result. */
  const filled = new Set<HTMLElement>()
  /** Reports whether a panel keeps its last result, in grey, because the objects are invalid. */
  function isKept(panel: HTMLElement, problem: string): boolean {
    const isStale = isInvalid && problem !== '' && filled.has(panel)
    panel.classList.toggle('stale', isStale)
    if (problem === '') filled.add(panel)
    return isStale
  }
  const show: { readonly [P in ResultKind]: (answer: EngineResults[P]) => void } = {
    rules: (answer) => {
      isInvalid = answer.failure !== ''
      if (answer.servicePorts !== shownPorts) ports.set(numberServicePorts(answer.servicePorts.map(({ name }) => name)))
      shownPorts = answer.servicePorts
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
    change: (answer) => {
      if (!isKept(change.panel, answer.problem)) change.show(answer)
    },
    comparison: (answer) => {
      if (!isKept(comparison.panel, answer.problem)) comparison.show(answer)
    },
    dump: (answer) => {
      rules.setSelectableLines(answer.lines)
      dump.show(answer)
    },
  }
  const asker = createLatestOnlyQueue(
    createEngineClient(script),
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

  /** Loads the texts of another request, such as an example, into the editors. */
  function load(): void {
    introduction.show(question.get())
    objects.load()
    dump.load()
    packet.load()
    tabs.show(question.get().pane)
  }

  let link: ReturnType<typeof setTimeout> | undefined
  question.subscribe((asked) => {
    notice.hidden = true
    load()
    answer()
    clearTimeout(link)
    link = setTimeout(() => void keepLink(asked), LINK_DELAY + lengthOf(asked) / 500)
  })
  // Opens the rules or dump pane if rules are selected in another pane.
  attention.subscribe(({ rules: chosen }, before) => {
    if (chosen === before.rules || chosen.length === 0) return
    const { through, dump: held, pane } = question.get()
    const expected = through === 'dump' && held.trim() !== '' ? 'dump' : 'rules'
    if (pane !== expected && pane !== 'dump') question.set({ pane: expected })
  })
  addEventListener('hashchange', async ({ newURL }) => {
    // The link of the request before may have replaced the address meanwhile.
    const { request, problem } = await parseLocation(new URL(newURL).hash, findExample)
    if (request !== undefined) question.set(request)
    notice.hidden = problem === ''
    notice.textContent = problem
  })
  load()
  answer()

  /** Opens another request as a new entry of the history, so that "back" returns to this one. */
  async function begin(request: PlaygroundRequest, hash?: string): Promise<void> {
    const left = question.get()
    question.set(request)
    clearTimeout(link)
    await keepLink(left)
    history.pushState(null, '', hash ?? (await encodeRequestHash(request)))
  }

  async function openExample(name: string): Promise<void> {
    const request = findExample(name)
    if (request !== undefined) await begin(request, `#example=${name}`)
  }

  function openWholePage(event: Event): void {
    const anchor = event.currentTarget as HTMLAnchorElement
    anchor.href = wholePage()
  }

  async function copyLink(): Promise<void> {
    await keepLink(question.get())
    const isCopied = await copy(location.href)
    const size = location.href.length < LONG_LINK ? '' : ` (${Math.round(location.href.length / 1000)} kB)`
    share.textContent = isCopied ? `Link copied${size}` : 'Link is in the address bar'
    setTimeout(() => {
      share.textContent = 'Copy link'
    }, 2500)
  }
}

/** Returns the link to the whole page with the current request. */
function wholePage(): string {
  return location.href.replace(/&view=\w+/, '')
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Writes the request to the link of the page, and saves the user's own objects for the next visit. */
async function keepLink(asked: PlaygroundRequest): Promise<void> {
  if (lengthOf(asked) > MOST_TEXT) return
  const hash = await encodeRequestHash(asked)
  if (findExampleOfRequest(asked) === undefined && lengthOf(asked) > 0) saveLink(hash)
  const { view } = document.body.dataset
  const next = view === undefined || view === 'page' ? hash : `${hash}&view=${view}`
  // Browsers reject longer links.
  if (hash.length < MOST_LINK && next !== location.hash) history.replaceState(null, '', next)
}

function lengthOf({ objects, before, dump }: PlaygroundRequest): number {
  return objects.length + before.length + dump.length
}

/**
 * The number of milliseconds without a change before the link is updated. The delay is longer for long texts, because
 * deflating them takes time.
 */
const LINK_DELAY = 400
const MOST_LINK = 500_000
/** Some programs truncate longer links. */
const LONG_LINK = 2000
const MOST_TEXT = 4_000_000
