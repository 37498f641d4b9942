import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const CHROMIUM = process.env.KUBE_RULES_CHROMIUM ?? '/usr/bin/chromium'

/**
 * Writes a screenshot for each entry of `pictures` to a folder. `prepare(page, picture)` opens the content of a picture;
 * `viewport`, `colorScheme` and `fullPage` of a picture are those of Playwright.
 */
export async function takePictures(folder, pictures, prepare) {
  mkdirSync(folder, { recursive: true })
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    for (const [name, picture] of Object.entries(pictures)) {
      const { colorScheme = 'light', viewport, deviceScaleFactor = 1, fullPage = false } = picture
      const context = await browser.newContext({ viewport, deviceScaleFactor, colorScheme, reducedMotion: 'reduce' })
      // A limit for hangs only: a busy machine is slow.
      context.setDefaultTimeout(300_000)
      const page = await context.newPage()
      await prepare(page, picture)
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
}
