// Takes screenshots of the built page, for README and docs. Run it as `pnpm playground:pictures [FOLDER]`.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'
const PAGE = new URL('../dist/index.html', import.meta.url).href
const [folder = fileURLToPath(new URL('../../../docs/playground/', import.meta.url))] = process.argv.slice(2)

/** The steps to the content of each screenshot. */
const PICTURES = {
  'first.png': { steps: [] },
  'graph.png': { colorScheme: 'dark', steps: [tab('Graph')] },
  'dump.png': {
    steps: [example('01-dns-refused-though-ready'), packet('from pod → 10.96.0.10:53/udp'), press('through the dump')],
  },
  'change.png': { steps: [example('seed-saythx-redis'), tab('Before and after')] },
  'narrow.png': { viewport: { width: 360, height: 760 }, steps: [], fullPage: true },
}

mkdirSync(folder, { recursive: true })
const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
try {
  for (const [
    name,
    { steps, colorScheme = 'light', viewport = { width: 1440, height: 900 }, fullPage = false },
  ] of Object.entries(PICTURES)) {
    const context = await browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(PAGE)
    await answered(page)
    for (const step of steps) {
      await step(page)
      await answered(page)
    }
    // The pointer is outside of all elements.
    await page.mouse.move(0, 0)
    await page.evaluate(() => document.activeElement?.blur())
    await page.waitForTimeout(200)
    await page.screenshot({ path: join(folder, name), fullPage })
    await context.close()
    console.log(join(folder, name))
  }
} finally {
  await browser.close()
}

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
