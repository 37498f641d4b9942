// Performs ten tasks in the built page, by mouse and by keyboard, and prints a table of the effort. Requires chromium;
// run it after `pnpm playground:build`. Each press of the mouse button counts, and each key stroke, also one with Ctrl or
// Shift. Typing, pasting and scrolling are free.
import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'
const PAGE = new URL('../dist/index.html', import.meta.url).href
const [OBJECTS, RULES, DUMP] = ['#panel-objects', '.panel.rules', '#panel-paste']
/** The results of the panes, one element for each line. */
const RESULTS = '.sentence, .headline .line, .explanation .line, .panel :is(.line, li, p)'

const textOf = (mode) =>
  readFileSync(new URL(`../../../fixtures/seed-ngx-nodeport/${mode}.ipv4.save`, import.meta.url), 'utf8')
/** The rules of the node without those of one endpoint, with counters and a rule of Docker. */
const DAMAGED = textOf('iptables')
  .replace(/^.*KUBE-SEP-2LOZJ2BLQ3ZC7IWX.*\n/gm, '')
  .replace(/0\.3\d+ (?=-j KUBE-SEP-B2RVQG5QQZYYZBFK)/, '0.50000000000 ')
  .replace('*nat\n', '*nat\n:DOCKER - [0:0]\n')
  .replace(/COMMIT\n$/, '-A DOCKER -i docker0 -j RETURN\nCOMMIT\n')
  .replace(/^-A /gm, '[3:180] -A ')
const NODE = `---
{ apiVersion: v1, kind: Node, metadata: { name: node-2 }, spec: { podCIDR: 10.244.2.0/24 },
  status: { addresses: [{ type: InternalIP, address: 192.168.0.42 }] } }
`
const SLICE = `---
{ apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, ports: [{ name: http, port: 80 }],
  metadata: { name: more, namespace: default, labels: { kubernetes.io/service-name: ngx-dep-svc-nodeport } },
  endpoints: [{ addresses: [10.244.5.7], nodeName: node-2 }] }
`
const MANIFEST = `
{ apiVersion: apps/v1, kind: Deployment, metadata: { name: web }, spec: { replicas: 3,
  selector: { matchLabels: { app: web } }, template: { metadata: { labels: { app: web } },
    spec: { containers: [{ name: web, image: nginx, ports: [{ containerPort: 8080 }] }] } } } }
---
{ apiVersion: v1, kind: Service, metadata: { name: web },
  spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] } }
`

/** The tasks; each returns the visible results. */
const TASKS = {
  async '1: why does a node port with policy `Local` not respond?'(user) {
    await user.replaceLine(OBJECTS, 'externalTrafficPolicy: Cluster', 'externalTrafficPolicy: Local')
    return user.sees(RESULTS, /is silently dropped/, /kubectl .* patch \w+ \S+/)
  },
  async '1b: the same for node 2, which has endpoints'(user) {
    await user.replaceLine(OBJECTS, 'externalTrafficPolicy: Cluster', 'externalTrafficPolicy: Local')
    await user.append(OBJECTS, NODE)
    await user.choose('Node', 'node-2')
    return user.sees(RESULTS, /192\.168\.0\.42:30080 goes to one of 3 endpoints/)
  },
  async '2: what changes from three endpoints to four?'(user) {
    await user.press('Keep as “before”')
    await user.append(OBJECTS, SLICE)
    return user.sees(RESULTS, /endpoint 10\.244\.5\.7 added/, /1\/3 → 1\/4/)
  },
  async '3: verify a dump that lacks an endpoint'(user) {
    await user.open('dump', '4')
    await user.focus(DUMP)
    await user.paste(DAMAGED)
    return user.sees(RESULTS, /never sent to 10\.244\.3\.86:80/, /\d+ missing, \d+ changed/)
  },
  async '4: compare ipvs with nftables for one Service'(user) {
    await user.open('comparison', '3')
    await user.choose('Mode', 'ipvs')
    await user.choose('against', 'nftables')
    return user.sees(RESULTS, /differs: TCP 10\.97\.166\.233:80/, /^nftables: 1\/3 [^;]* masqueraded/)
  },
  async '5: share the page'(user) {
    await user.press('Copy link')
    await user.sees('.tools button', /Link copied/)
    const page = await newPage(await user.page.evaluate(() => navigator.clipboard.readText()))
    const texts = await Promise.all([user.page, page].map((each) => each.locator('.sentence').textContent()))
    return [texts[0] === texts[1] ? `the same page, ${page.url().length - PAGE.length} characters` : 'another page']
  },
  async '6: paste a Deployment and a Service without a namespace'(user) {
    await user.press('Paste your YAML')
    await user.paste(MANIFEST)
    await user.enterPacket('web')
    return user.sees(RESULTS, /goes to one of 3 endpoints of default\/web/)
  },
  async '9: rule → YAML, step → rule, Service → both'(user) {
    await user.chooseLine(RULES, '--to-destination 192.168.0.41:6443')
    const yaml = await user.sees(`${OBJECTS} .lit`, /name: kubernetes/)
    await user.press(/DNAT.*Show the rule/)
    const rule = await user.sees(`${RULES} .marked`, /--to-destination \S+/)
    await user.press(/kube-dns:metrics\/TCP/)
    return [yaml, rule, await user.sees(`:is(${OBJECTS}, ${RULES}) .lit`, /name: metrics/, /kube-dns:metrics/)].flat()
  },
  async '10: paste a dump without YAML: owners and a packet'(user) {
    await user.press('Paste a node dump')
    await user.paste(textOf('iptables'))
    await user.enterPacket('from pod → 10.97.166.233:80')
    return user.sees(RESULTS, /^\d+ of its lines belong to 6 service ports/, /goes to one of 3 endpoints/)
  },
  async '12: paste a dump of another mode'(user) {
    await user.open('dump', '4')
    await user.focus(DUMP)
    await user.paste(textOf('nftables'))
    return user.sees(RESULTS, /choose nftables as the mode/)
  },
}

/** Creates the actions of a user with a mouse or a keyboard, which wait until all results are complete. */
function createUser(page, isMouse) {
  let actions = 0
  const settle = (action) => action.then(() => answered(page))
  const write = (text) => settle(page.keyboard.type(text))
  const paste = async (text) => {
    await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
    await settle(page.keyboard.press('Control+V'))
  }
  const keys = async (...pressed) => {
    if (!isMouse) actions += pressed.length
    for (const key of pressed) await page.keyboard.press(key)
    await answered(page)
  }
  /** Clicks an element, or moves the focus to it. */
  const reach = async (locator) => {
    if (!isMouse) return keys(...(await locator.evaluate(keysTo)))
    actions += 1
    await settle(locator.click())
  }
  const focus = (editor) => reach(page.locator(`${editor} .cm-content`))
  /** Moves the cursor to a line; the keyboard also selects the text. */
  const goTo = async (editor, text) => {
    if (isMouse) return reach(page.locator(`${editor} .cm-line`, { hasText: text }).first())
    await focus(editor)
    await keys('Control+F')
    await write(text)
    await keys('Enter', 'Escape')
  }
  return {
    page,
    count: () => actions,
    focus,
    paste,
    press: async (name) => {
      await reach(page.getByRole('button', { name, exact: typeof name === 'string' }).first())
      if (!isMouse) await keys('Enter')
    },
    open: (pane, key) => (isMouse ? reach(page.locator(`#tab-${pane}`)) : keys(key)),
    choose: async (label, value) => {
      const select = page.getByLabel(label, { exact: true })
      await reach(select)
      const values = await select.locator('option').evaluateAll((options) => options.map((each) => each.value))
      const steps = values.indexOf(value) - values.indexOf(await select.inputValue())
      await keys(...Array(Math.abs(steps)).fill(steps > 0 ? 'ArrowDown' : 'ArrowUp'))
      // The mouse of the protocol does not reach the open list, so that keys replace the second click.
      if (isMouse) await keys('Enter')
      if (isMouse) actions += 1
    },
    /** Writes into the packet box; the focus is in an editor. */
    enterPacket: async (text) => {
      await (isMouse ? reach(page.locator('#packet')) : keys('Tab', '/'))
      if (isMouse) await keys('Control+A')
      await write(text)
    },
    replaceLine: async (editor, text, replacement) => {
      await goTo(editor, text)
      if (isMouse) await keys('End', 'Shift+Home')
      await write(replacement)
    },
    append: async (editor, text) => {
      await focus(editor)
      await keys('Control+End')
      await paste(text)
    },
    chooseLine: async (editor, text) => {
      await goTo(editor, text)
      if (!isMouse) await keys('Enter')
    },
    /** Returns the visible texts that match, and notes whether the user has to scroll to them. */
    sees: async (selector, ...patterns) => {
      const results = []
      for (const pattern of patterns) {
        const found = page.locator(selector).filter({ hasText: pattern, visible: true })
        await found.first().waitFor()
        const seen = (await found.evaluateAll(areInView)).indexOf(true)
        const [text] = pattern.exec(await found.nth(seen).textContent()) ?? []
        results.push(`“${text}”${seen < 0 ? ' (after scrolling)' : ''}`)
      }
      return results
    },
  }
}

/** Runs in the page: reports for each element whether it is in view. */
function areInView(elements) {
  return new Promise((resolve) => {
    const observer = new IntersectionObserver((entries) => resolve(entries.map((entry) => entry.isIntersecting)))
    for (const each of elements) observer.observe(each)
  })
}

/** Runs in the page: returns the fewest keys that move the focus to an element; shortcuts work outside of fields. */
function keysTo(target) {
  const stops = [...document.querySelectorAll('a[href], button, input, select, [tabindex]')].filter(
    (each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }),
  )
  const from = (origin) => {
    const steps = stops.indexOf(target) - stops.indexOf(origin)
    return Array(Math.abs(steps)).fill(steps > 0 ? 'Tab' : 'Shift+Tab')
  }
  const direct = from(document.activeElement)
  if (document.activeElement.matches('input, select, [contenteditable=true]')) return direct
  const [packet, objects] = ['#packet', '#panel-objects .cm-content'].map((stop) => from(document.querySelector(stop)))
  return [direct, ['/', ...packet], ['o', ...objects]].sort((a, b) => a.length - b.length)[0]
}

async function answered(page) {
  await page.waitForTimeout(20)
  await page.waitForSelector('body[data-state=answered]', { state: 'attached' })
}

async function newPage(url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(20_000)
  await page.goto(url)
  await answered(page)
  return page
}

/** Performs a task in a new page: returns the actions, the seconds, and the results or what prevented them. */
async function perform(task, isMouse) {
  const page = await newPage(`${PAGE}#example=seed-ngx-nodeport`)
  const user = createUser(page, isMouse)
  const start = performance.now()
  const results = await task(user).catch((error) => [`not done: ${error.message.split('\n')[0]}`])
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  await page.context().close()
  return { actions: user.count(), seconds, result: results.join(', ') }
}

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
console.log('| task | clicks | keys | seconds (mouse / keyboard) | visible result |\n|---|---|---|---|---|')
try {
  for (const [title, task] of Object.entries(TASKS)) {
    const [mouse, keyboard] = [await perform(task, true), await perform(task, false)]
    const result = [...new Set([mouse.result, keyboard.result])].join('; by keyboard: ')
    const seconds = `${mouse.seconds} / ${keyboard.seconds}`
    console.log(`| ${[title, mouse.actions, keyboard.actions, seconds, result].join(' | ')} |`)
  }
} finally {
  await browser.close()
}
