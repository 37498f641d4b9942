import { createButton, createElement } from './dom/create-element.js'
import { createMaximizer } from './dom/maximize.js'
import { createSplitter } from './dom/splitter.js'
import { createTabs } from './dom/tabs.js'
import { createThemeButton } from './dom/theme.js'
import { createEngineClient } from './engine/engine-client.js'
import { createLatestOnlyQueue } from './engine/latest-only-queue.js'
import type { ResultKind } from './engine/results.js'
import { createChangePane } from './panes/change-pane.js'
import { createComparisonPane } from './panes/comparison-pane.js'
import { createDumpPane } from './panes/dump-pane.js'
import { findExample, getFirstExample } from './panes/examples.js'
import { createGallery } from './panes/gallery-dialog.js'
import { createIntroduction } from './panes/introduction.js'
import { createObjectsPane } from './panes/objects-pane.js'
import { createPacketPane } from './panes/packet-pane.js'
import { createPageContext, type PageContext, updateServicePorts } from './panes/page-context.js'
import { createPageLink, createShareButton, type PageLink, wholePage } from './panes/page-link.js'
import type { EditablePane, Pane, PaneWithBar } from './panes/pane.js'
import { createRulesPane } from './panes/rules-pane.js'
import { createSettingsBar } from './panes/settings-bar.js'
import { createShortcuts } from './panes/shortcuts-dialog.js'
import { parseLocation } from './question/location.js'
import { DEFAULT_REQUEST } from './question/playground-request.js'
import { loadSavedLink } from './question/saved-link.js'

/** The results of the panes on the right, by the name of the pane. The rules and the packet are always computed. */
const OUTPUT_RESULTS: readonly ResultKind[] = ['change', 'comparison', 'dump']

/**
 * Builds the page and updates it after each change of the request. `script` is the script of the page, for a worker.
 */
export async function startPage(script: string | undefined): Promise<void> {
  const opened = await parseLocation(location.hash, findExample)
  const context = createPageContext(opened.request ?? getFirstExample())
  document.body.dataset.view = opened.view
  document.getElementById('shell')?.remove()
  const notice = createAlert('notice', opened.problem)
  const fault = createAlert('fault', '')
  const link = createPageLink(context, (problem) => showAlert(notice, problem))
  const settings = createSettingsBar(context)
  const objects = createObjectsPane(context)
  const outputs = {
    rules: createRulesPane(context),
    change: createChangePane(context),
    comparison: createComparisonPane(context),
    dump: createDumpPane(context),
  }
  const output = createOutput(context, outputs)
  const packet = createPacketPane(context)
  const gallery = createGallery((name) => void link.openExample(name))
  const introduction = createIntroduction(context, {
    learn: () => {
      void link.openExample('node-port')
      packet.play()
    },
    pasteObjects: () => {
      void link.begin(DEFAULT_REQUEST)
      objects.focus()
    },
    pasteDump: () => {
      void link.begin({ ...DEFAULT_REQUEST, through: 'dump', pane: 'dump' })
      outputs.dump.focus()
    },
    resume: opened.request === undefined ? loadSavedLink() : undefined,
  })
  const shortcuts = createPageShortcuts(context, { packet, objects, gallery })
  document.body.append(
    createHeader(link, { settings, gallery, shortcuts }),
    introduction.panel,
    notice,
    fault,
    createMain(objects, output, packet),
    createWholePageLink(),
    gallery,
    shortcuts,
  )
  connect(context, [introduction, settings, objects, ...Object.values(outputs), output, packet], script, fault)
}

/** Passes the results of the engine to the panes, now and after each change of the request. */
function connect(context: PageContext, panes: readonly Pane[], script: string | undefined, fault: HTMLElement): void {
  const { question } = context
  const handlers = [updateServicePorts(context), ...panes.map(({ update }) => update)]
  const queue = createLatestOnlyQueue(
    createEngineClient(script),
    (kind, result) => {
      for (const handler of handlers) handler[kind]?.(result)
      if (kind === 'rules') performance.measure(kind, 'asked')
    },
    (error) =>
      showAlert(fault, `This is a bug in kube-rules: ${error instanceof Error ? error.message : String(error)}`),
    () => {
      document.body.dataset.state = 'answered'
      performance.measure('all', 'asked')
    },
  )

  function answer(): void {
    for (const pane of panes) pane.load?.()
    document.body.dataset.state = 'asking'
    performance.mark('asked')
    showAlert(fault, '')
    const asked = question.get()
    queue.ask(asked, ['rules', 'packet', ...OUTPUT_RESULTS.filter((kind) => kind === asked.pane)])
  }

  question.subscribe(answer)
  answer()
}

function createPageShortcuts(
  { question }: PageContext,
  { packet, objects, gallery }: Readonly<Record<'packet' | 'objects', EditablePane>> & { gallery: HTMLDialogElement },
): HTMLDialogElement {
  const show = (pane: string) => () => question.set({ pane })
  return createShortcuts([
    { key: '/', label: 'Write a packet', run: packet.focus },
    { key: 'e', label: 'Choose an example', run: () => gallery.showModal() },
    { key: 'o', label: 'Edit the objects', run: objects.focus },
    { key: '1', label: 'Show the rules', run: show('rules') },
    { key: '2', label: 'Show before and after', run: show('change') },
    { key: '3', label: 'Show a comparison', run: show('comparison') },
    { key: '4', label: 'Show the node dump', run: show('dump') },
  ])
}

function createHeader(
  link: PageLink,
  { settings, gallery, shortcuts }: { settings: Pane; gallery: HTMLDialogElement; shortcuts: HTMLDialogElement },
): HTMLElement {
  return createElement(
    'header',
    { class: 'top' },
    createElement('h1', {}, 'kube-rules', createElement('span', {}, ' playground')),
    createButton('Examples', () => gallery.showModal(), { class: 'primary' }),
    settings.panel,
    createElement('span', { class: 'grow' }),
    createElement(
      'span',
      { class: 'tools' },
      createShareButton(link),
      createThemeButton(),
      createButton('?', () => shortcuts.showModal(), {
        'aria-label': 'Keyboard shortcuts',
        title: 'Keyboard shortcuts, documentation and source (?)',
      }),
    ),
  )
}

/** Creates the tabs on the right. */
function createOutput(
  { question, attention }: PageContext,
  { rules, change, comparison, dump }: Readonly<Record<'rules' | 'change' | 'comparison' | 'dump', Pane>>,
): Pane & PaneWithBar {
  const choices = [
    { id: 'rules', label: 'Rules', panel: rules.panel },
    { id: 'change', label: 'Before and after', panel: change.panel },
    { id: 'comparison', label: 'Compare', panel: comparison.panel },
    { id: 'dump', label: 'Node dump', panel: dump.panel },
  ]
  const tabs = createTabs('Output', choices, (pane) => question.set({ pane }))
  // Opens the rules or the dump if rules are selected in another pane.
  attention.subscribe((now, before) => {
    if (now.rules === before.rules || now.rules.length === 0) return
    const { through, dump: held, pane } = question.get()
    const expected = through === 'dump' && held.trim() !== '' ? 'dump' : 'rules'
    if (pane !== expected && pane !== 'dump') question.set({ pane: expected })
  })
  const bar = createElement('div', { class: 'bar' }, tabs.list, createElement('span', { class: 'grow' }))
  const panel = createElement(
    'section',
    { class: 'pane output', 'aria-label': 'Output' },
    bar,
    ...choices.map((each) => each.panel),
  )
  return { panel, bar, update: {}, load: () => tabs.show(question.get().pane) }
}

/** Creates the part of the page below the header: the panes, their buttons and the bars between them. */
function createMain(objects: PaneWithBar, output: PaneWithBar, packet: PaneWithBar): HTMLElement {
  const main = createElement('main', {}, objects.panel, output.panel, packet.panel)
  const maximizeButton = createMaximizer(main)
  objects.bar.append(maximizeButton(objects.panel, 'the input'))
  output.bar.append(maximizeButton(output.panel, 'the output'))
  packet.bar.append(maximizeButton(packet.panel, 'the packet'))
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
  return main
}

/** Creates the link of an embedded view to the page with all panes. */
function createWholePageLink(): HTMLElement {
  const link: HTMLAnchorElement = createElement(
    'a',
    {
      class: 'whole-page',
      target: '_blank',
      rel: 'noreferrer',
      href: wholePage(),
      onclick: () => {
        link.href = wholePage()
      },
    },
    'Open in the playground',
  )
  return link
}

function createAlert(name: string, text: string): HTMLElement {
  return createElement('p', { class: name, role: 'alert', hidden: text === '' }, text)
}

/** Shows a text, or hides the alert if the text is empty. */
function showAlert(alert: HTMLElement, text: string): void {
  alert.hidden = text === ''
  alert.textContent = text
}
