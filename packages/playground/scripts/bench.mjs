// Measures edits in the built page: from the keystroke to the rules, and to the complete display. Requires chromium;
// run it after `pnpm playground:build` as `node packages/playground/scripts/bench.mjs [--changes] [--typing] [--list]
// [SERVICES...]`. `--changes` opens "Before and after". `--typing` types ten characters, one each 100 ms, and measures
// the rules of each keystroke, and all results after the last one; only for sizes that the worker computes. `--list`
// has the objects in one List.
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'
const PAGE = new URL('../dist/index.html', import.meta.url).href
const EDITS = 25
const [ROUNDS, KEYS] = [5, 10]
const withChanges = process.argv.includes('--changes')
const isList = process.argv.includes('--list')
const isTyping = process.argv.includes('--typing')
const given = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const counts = given.length > 0 ? given.map(Number) : isTyping ? [1000] : [20, 200, 1000]

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
  await page.addInitScript(recordTimes)
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
  const [rules, all] = isTyping ? await type(page) : await edit(page)
  const where = page.workers().length > 0 ? 'worker' : 'page  '
  await context.close()
  return [String(count).padStart(8), where, ...summary(rules, 18), ...summary(all, 16)].join('  ')
}

/** Makes one edit after the other. */
async function edit(page) {
  for (let index = 0; index < EDITS; index++) {
    await page.keyboard.press(index % 2 === 0 ? '1' : 'Backspace')
    await page.waitForTimeout(50)
    await answered(page)
  }
  const timesOf = (name) =>
    page.evaluate((asked) => performance.getEntriesByName(asked).map(({ duration }) => duration), name)
  return [await timesOf('rules'), await timesOf('all')]
}

/** Types without waiting for results, several times. */
async function type(page) {
  const [rules, all] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    await page.evaluate(() => times.splice(0))
    const start = performance.now()
    for (let key = 0; key < KEYS; key++) {
      await page.waitForTimeout(Math.max(0, start + key * 100 - performance.now()))
      await page.keyboard.press((round + key) % 2 === 0 ? '1' : 'Backspace')
    }
    await page.waitForTimeout(50)
    await answered(page)
    const recorded = await page.evaluate(() => times)
    const keys = recorded.filter(({ name }) => name === 'key').map(({ at }) => at)
    rules.push(...keys.map((at) => timeToRules(at, recorded)))
    all.push(recorded.findLast(({ name }) => name === 'all').at - keys.at(-1))
  }
  return [rules, all]
}

/** Returns the time from a keystroke until the page shows rules that a worker was asked for after it. */
function timeToRules(key, recorded) {
  const asked = recorded.filter(({ name }) => name === 'asked')
  // A keystroke that restores the text that a worker was asked for last makes no request.
  const { id: first } = asked.find(({ at }) => at >= key) ?? asked.at(-1)
  const index = recorded.filter(({ name }) => name === 'reply').findIndex(({ id }) => id >= first)
  return recorded.filter(({ name }) => name === 'rules')[index].at - key
}

/** Runs in the page: records keystrokes, requests for rules and their replies, and complete results. */
function recordTimes() {
  const times = []
  globalThis.times = times
  const record = (name, id) => times.push({ name, id, at: performance.now() })
  addEventListener('keydown', ({ timeStamp }) => times.push({ name: 'key', at: timeStamp }), true)
  const { measure } = Performance.prototype
  Performance.prototype.measure = function (name, ...rest) {
    record(name)
    return measure.call(this, name, ...rest)
  }
  const asked = new Set()
  const { postMessage } = Worker.prototype
  Worker.prototype.postMessage = function ({ id, part, question }) {
    if (part === 'rules') {
      if (asked.size === 0) {
        this.addEventListener('message', ({ data }) => {
          if (asked.has(data.id)) record('reply', data.id)
        })
      }
      asked.add(id)
      record('asked', id)
    }
    postMessage.call(this, { id, part, question })
  }
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
  const documents = config + services.join('')
  return isList ? listOf(documents) : documents
}

/** Returns the objects as one List, like `kubectl get -o yaml`. */
function listOf(documents) {
  const items = documents.split('---\n').map((item) => `- ${item.trimEnd().replaceAll('\n', '\n  ')}\n`)
  return `apiVersion: v1\nkind: List\nitems:\n${items.join('')}`
}
