// Takes screenshots of the built page, for README and docs. Run it as `pnpm playground:pictures [FOLDER]`.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { takePictures } from './pictures.mjs'

const PAGE = new URL('../dist/index.html', import.meta.url).href
const [folder = fileURLToPath(new URL('../../../docs/playground/', import.meta.url))] = process.argv.slice(2)

const viewport = { width: 1440, height: 900 }

/** A dump of the node of an example. */
const DUMP = readFileSync(new URL('../../../fixtures/seed-ngx-nodeport/iptables.ipv4.save', import.meta.url), 'utf8')

/** The steps to the content of each screenshot. */
const PICTURES = {
  'first.png': { viewport, steps: [] },
  'lesson.png': {
    viewport: { width: 1160, height: 760 },
    steps: [press('▸ Follow'), ...Array.from({ length: 8 }, () => key('ArrowRight'))],
  },
  'graph.png': { viewport, colorScheme: 'dark', steps: [tab('Graph')] },
  'dump.png': {
    viewport,
    steps: [example('01-dns-refused-though-ready'), packet('from pod → 10.96.0.10:53/udp'), press('through the dump')],
  },
  'operator.png': {
    viewport,
    colorScheme: 'dark',
    steps: [press('Paste a node dump'), insert(DUMP), packet('from pod → 10.97.166.233:80')],
  },
  'change.png': { viewport, steps: [example('seed-saythx-redis'), tab('Before and after')] },
  'compare.png': {
    viewport,
    steps: [example('seed-ngx-nodeport'), tab('Compare'), choose('against', 'ipvs')],
  },
  'versions.png': {
    viewport,
    steps: [example('seed-ngx-nodeport'), tab('Compare'), choose('against', '1.25')],
  },
  'embedded.png': { viewport: { width: 400, height: 400 }, hash: '#example=node-port&view=path', steps: [] },
  'narrow.png': { viewport: { width: 360, height: 760 }, steps: [], fullPage: true },
}

await takePictures(folder, PICTURES, async (page, { hash = '', steps }) => {
  await page.goto(PAGE + hash)
  await answered(page)
  for (const step of steps) {
    await step(page)
    await answered(page)
  }
})

function answered(page) {
  return page.waitForSelector('body[data-state=answered]', { state: 'attached' })
}

function tab(name) {
  return (page) => page.getByRole('tab', { name }).click()
}

function press(name) {
  return (page) => page.getByRole('button', { name }).click()
}

function key(name) {
  return (page) => page.keyboard.press(name)
}

function packet(text) {
  return (page) => page.locator('#packet').fill(text)
}

function insert(text) {
  return (page) => page.keyboard.insertText(text)
}

function choose(label, value) {
  return (page) => page.getByLabel(label, { exact: true }).selectOption(value)
}

function example(name) {
  return async (page) => {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.locator(`[data-example="${name}"]`).click()
  }
}
