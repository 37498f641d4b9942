// Takes screenshots of the built page, for README and docs. Run it as `pnpm playground:pictures [FOLDER]`.
import { fileURLToPath } from 'node:url'
import { takePictures } from './pictures.mjs'

const PAGE = new URL('../dist/index.html', import.meta.url).href
const [folder = fileURLToPath(new URL('../../../docs/playground/', import.meta.url))] = process.argv.slice(2)

const viewport = { width: 1440, height: 900 }

/** The steps to the content of each screenshot. */
const PICTURES = {
  'first.png': { viewport, steps: [] },
  'graph.png': { viewport, colorScheme: 'dark', steps: [tab('Graph')] },
  'dump.png': {
    viewport,
    steps: [example('01-dns-refused-though-ready'), packet('from pod → 10.96.0.10:53/udp'), press('through the dump')],
  },
  'change.png': { viewport, steps: [example('seed-saythx-redis'), tab('Before and after')] },
  'narrow.png': { viewport: { width: 360, height: 760 }, steps: [], fullPage: true },
}

await takePictures(folder, PICTURES, async (page, { steps }) => {
  await page.goto(PAGE)
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

function packet(text) {
  return (page) => page.locator('#packet').fill(text)
}

function example(name) {
  return async (page) => {
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.locator(`[data-example="${name}"]`).click()
  }
}
