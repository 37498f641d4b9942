import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { encodeRequestHash } from '../../src/question/permalink.js'
import { DEFAULT_REQUEST, type PlaygroundRequest } from '../../src/question/playground-request.js'

/** The default location on Debian. */
const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'

const PAGE = fileURLToPath(new URL('../../dist/index.html', import.meta.url))

/** The page, as a file. */
export const PAGE_URL = `file://${PAGE}`

const isRequired = (process.env.KUBE_RULES_E2E_REQUIRE ?? '').split(',').includes('chromium')

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM, args: ARGS })
}

/** The context of the tests. */
export interface Sandbox {
  /** Opens a new window on the page with this request. Default: the example `seed-ngx-nodeport`, a real cluster. */
  open(question?: Partial<PlaygroundRequest>, options?: ContextOptions): Promise<Window>
  /** Opens a new window on the page with a fragment, such as `#example=dual-stack`. */
  openAt(fragment: string, options?: ContextOptions): Promise<Window>
  /** Creates a context without a page, which is closed after the test. */
  createContext(options?: ContextOptions): Promise<BrowserContext>
}

type ContextOptions = Parameters<Browser['newContext']>[0]

export interface Window {
  readonly page: Page
  readonly context: BrowserContext
  /** Requests other than the page itself. */
  readonly requests: readonly string[]
  /** Errors in the page. */
  readonly faults: readonly string[]
}

/**
 * Defines tests of the built page in a browser. Without a browser it skips them with one line of output; if
 * `KUBE_RULES_E2E_REQUIRE` names `chromium` they fail instead.
 */
export function describeInBrowser(name: string, tests: (sandbox: Sandbox) => void): void {
  if (!existsSync(CHROMIUM) && !isRequired) {
    console.log(`no ${CHROMIUM}: skipped: ${name}`)
    describe.skip(name, () => {
      it('requires a browser', () => {})
    })
    return
  }
  describe(name, () => {
    let browser: Browser
    const contexts: BrowserContext[] = []
    beforeAll(async () => {
      browser = await launch()
    })
    afterEach(async () => {
      for (const context of contexts.splice(0)) await context.close()
    })
    afterAll(() => browser?.close())
    const createContext = async (options: ContextOptions = {}) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options })
      contexts.push(context)
      return context
    }
    const openAt = async (fragment: string, options?: ContextOptions): Promise<Window> => {
      const context = await createContext(options)
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      const page = await context.newPage()
      const requests: string[] = []
      const faults: string[] = []
      page.on('request', (request) => {
        const url = request.url()
        if (url.split('#')[0] !== PAGE_URL && !/^(?:blob|data):/.test(url)) requests.push(url)
      })
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text())
      })
      await page.goto(PAGE_URL + fragment)
      await answered(page)
      return { page, context, requests, faults }
    }
    tests({
      open: async (question, options) =>
        openAt(
          question === undefined
            ? '#example=seed-ngx-nodeport'
            : await encodeRequestHash({ ...DEFAULT_REQUEST, ...question }),
          options,
        ),
      openAt,
      createContext,
    })
  })
}

/** A limit for hangs only. */
const FIVE_MINUTES = 300_000

/**
 * Waits until all results of the page are complete. The state changes within the event of a click or a key, so it is
 * never that of the question before.
 */
export async function computed(page: Page): Promise<void> {
  await page.waitForSelector('body[data-state=answered]', { timeout: FIVE_MINUTES, state: 'attached' })
}

/**
 * Waits until all results of the page are complete and in the window: editors create the elements of lines, and
 * drawings find their size, in the next frame.
 */
export async function answered(page: Page): Promise<void> {
  await computed(page)
  await page.evaluate(async () => {
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
  })
}

/** Returns a function that returns every text that an element has had from now on, however short its time. */
export async function recordTexts(page: Page, selector: string): Promise<() => Promise<readonly string[]>> {
  const texts = await page.locator(selector).evaluateHandle((element) => {
    const seen: string[] = []
    const record = () => seen.push(element.textContent ?? '')
    new MutationObserver(record).observe(element, { childList: true, characterData: true, subtree: true })
    return seen
  })
  return () => texts.jsonValue()
}

/** Returns the link from the button that copies it. */
export async function copiedLink(page: Page): Promise<string> {
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.getByRole('button', { name: /^(?:Copy link|Link )/ }).click()
  // The text is deflated first.
  await expect.poll(clipboard).toContain('#')
  return clipboard()
}

/** Returns the text from the copy button, which is the displayed output of the command. */
export async function copied(page: Page, within: string): Promise<string> {
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await page.evaluate(() => navigator.clipboard.writeText(''))
  await page.locator(`${within} .copy`).first().click()
  await expect.poll(clipboard).not.toBe('')
  return clipboard()
}
