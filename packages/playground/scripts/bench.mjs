// Measures edits in the built page: from the keystroke to the rules, and to the complete display. Requires chromium;
// run it after `pnpm playground:build` as `node packages/playground/scripts/bench.mjs [--changes] [SERVICES...]`;
// `--changes` opens "Before and after".
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'
const PAGE = new URL('../dist/index.html', import.meta.url).href
const EDITS = 25
const withChanges = process.argv.includes('--changes')
const given = process.argv.slice(2).filter((argument) => argument !== '--changes')
const counts = given.length > 0 ? given.map(Number) : [20, 200, 1000]

const browser = await chromium.launch({
  executablePath: CHROMIUM,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})
console.log('services  where   rules ms: median  worst   all ms: median  worst')
try {
  for (const count of counts) console.log(await lineOf(count))
} finally {
  await browser.close()
}

async function lineOf(count) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  await page.goto(PAGE)
  await answered(page)
  await page.evaluate((text) => navigator.clipboard.writeText(text), clusterOf(count))
  await page.locator('.objects .cm-content').first().focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Control+V')
  await page.waitForTimeout(3000)
  await answered(page)
  await page.locator('#packet').fill('from pod → 10.96.0.1:80')
  await answered(page)
  if (withChanges) {
    await page.getByRole('button', { name: 'Keep as' }).click()
    await answered(page)
  }
  await page.evaluate(() => performance.clearMeasures())
  await page.locator('.objects .cm-content').first().focus()
  // The cursor is at the address of the last endpoint; each edit adds a digit or removes it.
  await page.keyboard.press('Control+End')
  for (let left = 0; left < 4; left++) await page.keyboard.press('ArrowLeft')
  for (let edit = 0; edit < EDITS; edit++) {
    await page.keyboard.press(edit % 2 === 0 ? '1' : 'Backspace')
    await page.waitForTimeout(50)
    await answered(page)
  }
  const timesOf = (name) =>
    page.evaluate((asked) => performance.getEntriesByName(asked).map(({ duration }) => duration), name)
  const [rules, all] = [await timesOf('rules'), await timesOf('all')]
  const where = page.workers().length > 0 ? 'worker' : 'page  '
  await context.close()
  return [String(count).padStart(8), where, ...summary(rules, 18), ...summary(all, 16)].join('  ')
}

function summary(times, width) {
  const sorted = [...times].sort((a, b) => a - b)
  return [sorted[Math.floor(sorted.length / 2)].toFixed(1).padStart(width), sorted.at(-1).toFixed(1).padStart(5)]
}

function answered(page) {
  return page.waitForSelector('body[data-state=answered]', { state: 'attached', timeout: 120_000 })
}

/** Builds Services with a cluster IP, one port and three endpoints each. */
function clusterOf(count) {
  const config =
    'apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nclusterCIDR: 10.244.0.0/16\n'
  const services = Array.from({ length: count }, (_, index) => {
    const [high, low] = [index >> 8, (index & 255) + 1]
    return `---
apiVersion: v1
kind: Service
metadata: { name: s${index}, namespace: default }
spec: { clusterIP: 10.96.${high}.${low}, ports: [{ name: http, port: 80 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: s${index}-a, namespace: default, labels: { kubernetes.io/service-name: s${index} } }
addressType: IPv4
ports: [{ name: http, port: 8080 }]
endpoints:
  - addresses: [10.244.${high}.${low}]
  - addresses: [10.245.${high}.${low}]
  - addresses: [10.246.${high}.${low}] #
`
  })
  return config + services.join('')
}
