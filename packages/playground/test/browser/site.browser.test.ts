import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findViolations } from '../support/axe.js'
import { describeInBrowser } from '../support/browser.js'

// The documentation site, as `pnpm docs:build` writes it.

const SITE = fileURLToPath(new URL('../../../../build/site/', import.meta.url))
const TYPES: Readonly<Record<string, string>> = {
  ...{ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' },
  ...{ '.json': 'application/json', '.svg': 'image/svg+xml', '.png': 'image/png' },
}

/** The questions of readers, with the page that answers each. */
const QUESTIONS: readonly (readonly [question: string, page: string])[] = [
  ['node port rejected', '/troubleshooting/cases/node-port-rejected-on-one-node'],
  ['nftables', '/tutorials/move-to-nftables'],
  ['pull request', '/tutorials/review-a-pull-request'],
  ['versions of kube-proxy', '/reference/compatibility'],
  ['run as a proxy', '/how-to/run-as-proxy'],
  ['exit codes', '/troubleshooting/kube-rules-itself'],
  ['source replaced', '/explanation/how-kube-proxy-programs-services'],
  ['upgrade', '/how-to/upgrade'],
  ['packet classes', '/contributing/architecture/packet-classes'],
  ['performance', '/reference/performance'],
  ['connection refused', '/troubleshooting/cases'],
  ['dns not working', '/troubleshooting/cases/dns-refused-though-ready'],
  ['ipvs to nftables', '/how-to/move-a-cluster-to-nftables'],
  ['nftabels', '/tutorials/move-to-nftables'],
  ['sesion affinity', '/reference/glossary'],
  ['conntrack', '/troubleshooting/cases/connection-stays-on-a-deleted-pod'],
  ['loadBalancerSourceRanges', '/troubleshooting/cases/nodes-are-in-no-source-range'],
  ['topology hints', '/troubleshooting/cases/hints-do-not-count'],
  ['helm', '/how-to/comment-on-pull-requests'],
  ['write a proxy', '/tutorials/build-a-proxy'],
  ['node port not reachable from outside', '/how-to/service-fails'],
  ['ipvs deprecated', '/how-to/move-a-cluster-to-nftables'],
  ['run kube-rules in github actions', '/how-to/comment-on-pull-requests'],
  ['gitlab merge request comment', '/how-to/comment-on-pull-requests'],
  ['what is KUBE-MARK-MASQ', '/reference/rule-words'],
  ['exit code 3', '/troubleshooting/kube-rules-itself'],
  ['write my own kube-proxy', '/tutorials/build-a-proxy'],
  ['conntrack udp stale', '/how-to/recover-a-node'],
  ['k3s', '/how-to/read-a-live-cluster'],
  ['rbac permissions', '/how-to/read-a-live-cluster'],
  ['kubectl plugin', '/how-to/read-a-live-cluster'],
  ['resync after a crash', '/how-to/recover-a-node'],
  ['untrusted manifests', '/explanation/threat-model'],
  ['load balancing probability', '/explanation/how-kube-proxy-programs-services'],
  ['add an iptables match', '/contributing/development'],
  ['incomplete dump', '/how-to/verify-a-node'],
  ['createTracker', '/reference/api/compiler'],
  ['terminateGracefully', '/reference/api/compiler-ipvs'],
  ['DiagnosePacketOptions', '/reference/api/analyzer-explain'],
]

/** Questions with the page that answers each best. */
const FIRST: readonly (readonly [question: string, page: string])[] = [
  ['hairpin', '/reference/glossary'],
  ['masquerade', '/reference/glossary'],
  ['masqurade', '/reference/glossary'],
  ['externalTrafficPolicy Local', '/reference/glossary'],
  ['session affinity', '/reference/glossary'],
  ['nftables', '/tutorials/move-to-nftables'],
]

/** Questions of readers who know kubectl only: the links that they follow from the front page, and the answer. */
const ANSWERS: readonly (readonly [question: string, links: readonly string[], answer: string])[] = [
  [
    'why a node port is rejected on one node',
    ['Problems by symptom', 'A node port is rejected on one node only'],
    'kube-proxy on that node no longer receives updates',
  ],
  [
    'what nftables changes for Services',
    ['Move from iptables to nftables'],
    'nftables mode rejects packets to a cluster IP if no Service uses the destination port',
  ],
  [
    'how the rules of manifests get into CI',
    ['Review a pull request'],
    'compares the base and the head of each pull request',
  ],
  ['which versions of kube-proxy are supported', ['Compatibility'], '1.14 to 1.37'],
  ['how to write a proxy', ['Build a proxy'], 'In this tutorial you write a node proxy'],
]

describeInBrowser('the documentation site', (sandbox) => {
  let server: Server
  let origin = ''

  beforeAll(async () => {
    server = createServer((request, response) => {
      const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)
      const file = join(SITE, path.endsWith('/') ? `${path}index.html` : path)
      const found =
        existsSync(file) && statSync(file).isFile() ? file : existsSync(`${file}.html`) ? `${file}.html` : undefined
      response.writeHead(found === undefined ? 404 : 200, {
        'content-type': TYPES[extname(found ?? '')] ?? 'text/plain',
        'content-encoding': 'gzip',
      })
      response.end(gzipSync(found === undefined ? '' : readFileSync(found)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => server.close())

  /** Opens a page, and returns it with the requests that leave the site and the bytes that it loads. */
  async function openPage(
    path: string,
    options: Parameters<typeof sandbox.createContext>[0] = {},
    waitUntil: 'load' | 'networkidle' = 'load',
  ) {
    const context = await sandbox.createContext(options)
    const page = await context.newPage()
    const foreign: string[] = []
    const finished: Request[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) foreign.push(request.url())
    })
    page.on('requestfinished', (request) => finished.push(request))
    await page.goto(origin + path, { waitUntil })
    // Keys and buttons have no effect before the scripts of the site run.
    await page.waitForFunction(() => {
      const app = document.querySelector('#app')
      return app === null || '__vue_app__' in app
    })
    const bytes = async () => {
      const sizes = await Promise.all(finished.map((request) => request.sizes()))
      return sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    }
    return { page, foreign, bytes }
  }

  /** Returns the first three pages that a search finds for each of the texts. */
  async function searchEach(texts: readonly string[]): Promise<readonly (readonly string[])[]> {
    const { page } = await openPage('/')
    await page.keyboard.press('Control+k')
    const [input, results] = [page.locator('#localsearch-input'), page.locator('.VPLocalSearchBox .result')]
    const found: string[][] = []
    for (const text of texts) {
      await input.fill('')
      await expect.poll(() => results.count()).toBe(0)
      await input.fill(text)
      await results.first().waitFor()
      const links = await results.evaluateAll((all) => all.map((each) => each.getAttribute('href') ?? ''))
      found.push([...new Set(links.map((link) => link.replace(/#.*$/, '').replace(/\.html$/, '')))].slice(0, 3))
    }
    return found
  }

  it('finds the expected page of each question among the first three results of a search', async () => {
    const found = await searchEach(QUESTIONS.map(([question]) => question))
    QUESTIONS.forEach(([question, answer], index) => {
      expect.soft(found[index], question).toContain(answer)
    })
  })

  it('finds the page that answers a question best first', async () => {
    const found = await searchEach(FIRST.map(([question]) => question))
    FIRST.forEach(([question, answer], index) => {
      expect.soft(found[index]?.[0], question).toBe(answer)
    })
  })

  it('has an address for each term of the glossary, for the search', async () => {
    const { page } = await openPage('/reference/glossary.html#term-masquerade')
    const row = page.locator('#term-masquerade')
    expect(await row.innerText()).toMatch(/^masquerade\s+Replace the source address/)
    expect(await row.evaluate((each) => each.matches(':target'))).toBe(true)
  })

  it('lists the other cases and all sections on the page of a case', async () => {
    const { page } = await openPage('/troubleshooting/cases/no-jumps.html')
    const sidebar = page.locator('.VPSidebar')
    expect(await sidebar.locator('.is-active.is-link a').getAttribute('href')).toBe(
      '/troubleshooting/cases/no-jumps.html',
    )
    for (const name of ['A pod cannot reach itself through its Service', 'kube-rules itself'])
      expect(await sidebar.getByRole('link', { name }).isVisible(), name).toBe(true)
    await sidebar.getByRole('link', { name: 'How to', exact: true }).click()
    await expect.poll(() => page.locator('h1').innerText()).toContain('A Service fails on one node')
  })

  it.each(['/', '/tutorials/first-rules.html', '/reference/cli.html', '/explanation/fidelity.html'])(
    'loads %s without a request to another site',
    async (path) => {
      const { foreign, page } = await openPage(path, {}, 'networkidle')
      expect(foreign).toEqual([])
      expect(await page.locator('h1').first().textContent()).not.toBe('')
    },
  )

  it.each(['/', '/reference/api/compiler.html', '/troubleshooting/cases.html', '/contributing/site.html'])(
    'loads at most 300 kB for %s, compressed',
    async (path) => {
      const { bytes } = await openPage(path, {}, 'networkidle')
      const loaded = await bytes()
      expect(loaded).toBeGreaterThan(50_000)
      expect(loaded).toBeLessThanOrEqual(300_000)
    },
  )

  it.each([
    ['/', 'light'],
    ['/tutorials/first-rules.html', 'dark'],
    ['/reference/diagnoses.html', 'light'],
    ['/reference/api/compiler.html', 'light'],
    ['/', 'dark'],
    ['/explanation/how-kube-proxy-programs-services.html', 'dark'],
  ] as const)('has no accessibility violations on %s in %s colours', async (path, colorScheme) => {
    const { page } = await openPage(path, { colorScheme })
    // The search button of VitePress is named without the keys that it shows.
    const violations = await findViolations(page)
    expect(violations.filter((each) => !/^label-content-name-mismatch.*DocSearch-Button/.test(each))).toEqual([])
  })

  it.each(['/', '/tutorials/first-rules.html', '/reference/diagnoses.html', '/reference/api/compiler.html'])(
    'fits %s into 360 pixels',
    async (path) => {
      const { page } = await openPage(path, { viewport: { width: 360, height: 700 } })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
    },
  )

  it.each(['/how-to/update-a-node.html', '/explanation/how-kube-proxy-programs-services.html'])(
    'has no accessibility violations on %s on a phone',
    async (path) => {
      const { page } = await openPage(path, { viewport: { width: 360, height: 700 } })
      expect(await findViolations(page)).toEqual([])
    },
  )

  it('shows each cell of a table with its heading on a phone', async () => {
    const { page } = await openPage('/how-to/update-a-node.html', { viewport: { width: 360, height: 700 } })
    const table = page.locator('.vp-doc table').first()
    expect(await table.evaluate((each) => each.scrollWidth - each.clientWidth)).toBe(0)
    const cell = table.locator('tbody td').nth(1)
    expect(await cell.evaluate((each) => getComputedStyle(each, '::before').content)).toContain('input')
    expect(await page.locator('th').first().isVisible()).toBe(false)
  })

  it('scrolls a drawing with the keyboard on a phone', async () => {
    const { page } = await openPage('/explanation/how-kube-proxy-programs-services.html', {
      viewport: { width: 360, height: 700 },
    })
    const drawing = page.locator('.drawing').first()
    await drawing.focus()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => drawing.evaluate((each) => each.scrollLeft)).toBeGreaterThan(0)
  })

  it.each([360, 768, 959, 960, 1024, 1279, 1280])('fits the navigation into %i pixels', async (width) => {
    const { page } = await openPage('/tutorials/first-rules.html', { viewport: { width, height: 700 } })
    const ends = await page
      .locator('.VPNavBar :is(a, button):visible')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right))
    expect(Math.max(...ends)).toBeLessThanOrEqual(width)
  })

  it.each([360, 800])('opens the navigation by its button at %i pixels', async (width) => {
    const { page } = await openPage('/', { viewport: { width, height: 700 } })
    await page.locator('.VPNavBarHamburger').click()
    await page.locator('.VPNavScreen').getByRole('link', { name: 'Reference' }).click()
    await page.waitForURL(/reference/)
    // The address changes before the text.
    await expect.poll(() => page.locator('h1').first().textContent()).toContain('The library')
  })

  it('shows the version, with links to the changelog and to the versions of kube-proxy', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../../compiler/package.json', import.meta.url), 'utf8'),
    ) as { version: string }
    const { page } = await openPage('/')
    const menu = page.locator('.VPNavBarMenuGroup')
    await menu.getByRole('button', { name: `v${version}` }).hover()
    expect(await menu.getByRole('link', { name: 'Changelog' }).getAttribute('href')).toMatch(/\/CHANGELOG\.md$/)
    await menu.getByRole('link', { name: 'Supported versions of kube-proxy' }).click()
    await page.waitForURL(/reference\/versions/)
  })

  it.each([
    ['/tutorials/first-rules.html', 'docs/tutorials/first-rules.md'],
    ['/reference/cli/verify.html', 'docs/reference/cli/verify.md'],
  ])('links to the source of %s for edits', async (path, file) => {
    const { page } = await openPage(path)
    const href = await page.getByRole('link', { name: 'Edit this page' }).getAttribute('href')
    expect(href).toMatch(new RegExp(`/edit/main/${file}$`))
    expect(existsSync(fileURLToPath(new URL(`../../../../${file}`, import.meta.url)))).toBe(true)
  })

  it.each(['/reference/api/compiler.html', '/troubleshooting/cases/no-jumps.html', '/explanation/history.html'])(
    'has no edit link for %s, because the page is generated',
    async (path) => {
      const { page } = await openPage(path)
      expect(await page.getByRole('link', { name: 'Edit this page' }).count()).toBe(0)
    },
  )

  it('names the previous and the next page by their titles', async () => {
    const { page } = await openPage('/tutorials/diagnose-a-node.html')
    expect(await page.locator('.pager-link .title').allTextContents()).toEqual(['First rules', 'Review a pull request'])
  })

  it.each(['/', '/playground/'])('has the logo as the icon of %s', async (path) => {
    const { page } = await openPage(path)
    const icon = (await page.locator('link[rel="icon"]').getAttribute('href')) ?? ''
    const logo = readFileSync(new URL('../../../../docs/public/logo.svg', import.meta.url), 'utf8')
    expect(decodeURIComponent(icon)).toBe(`data:image/svg+xml,${logo}`)
  })

  it('is what the playground on the site links to', async () => {
    const { page } = await openPage('/playground/')
    const link = page.locator('.introduction').getByRole('link', { name: 'Documentation' })
    expect(await link.evaluate((anchor) => (anchor as HTMLAnchorElement).href)).toBe(`${origin}/`)
  })

  it('shows drawings in the page colours, even if the system colours differ', async () => {
    const { page } = await openPage('/', { colorScheme: 'light' })
    const { x = 0, y = 0 } = (await page.locator('.drawing').first().boundingBox()) ?? {}
    // A part of the background of the drawing.
    const clip = { x: x + 20, y: y + 20, width: 20, height: 20 }
    const light = await page.screenshot({ clip })
    await page.locator('.VPSwitchAppearance:visible').click()
    // The colours fade.
    await expect.poll(async () => (await page.screenshot({ clip })).equals(light)).toBe(false)
  })

  it.each(ANSWERS)('answers %s by links from the front page', async (_, links, answer) => {
    const { page } = await openPage('/')
    for (const name of links) await page.locator('.vp-doc').getByRole('link', { name, exact: true }).first().click()
    await page.locator('.vp-doc').getByText(answer).first().waitFor()
    expect(links.length).toBeLessThanOrEqual(3)
  })

  it('reaches a tutorial from the front page with the keyboard', async () => {
    const { page } = await openPage('/')
    const isLink = () => page.evaluate(() => document.activeElement?.textContent?.trim() === 'First rules')
    for (let pressed = 0; pressed < 80 && !(await isLink()); pressed++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(/first-rules/)
    // The address changes before the text.
    await expect.poll(() => page.locator('h1').first().textContent()).toContain('First rules')
  })
})
