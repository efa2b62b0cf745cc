import type { Page } from '../../support/browser.js'

/** Returns an expression for the first control with this text. */
export function control(text: string): string {
  const known = JSON.stringify(text)
  return `[...document.querySelectorAll('button, a, summary')].find((one) => one.textContent.trim() === ${known})`
}

/** Waits for the control with this text, and clicks on it. */
export async function clickOn(page: Page, text: string): Promise<void> {
  await page.until(control(text))
  await page.evaluate(`${control(text)}.click()`)
}

/** Types a text into the field that the expression finds. */
export async function typeInto(page: Page, field: string, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const field = ${field}
    field.value = ${JSON.stringify(text)}
    field.dispatchEvent(new Event('input', { bubbles: true }))
  })()`)
}

/** Presses Escape, and waits until the dialog has left the page. */
export async function closeDialog(page: Page): Promise<void> {
  await page.press('Escape')
  await page.until(`document.querySelector('dialog') === null`)
}

/** Fills in the open dialog, and presses its main button. Resolves with the result that the dialog shows. */
export async function answerDialog(page: Page, fields: Readonly<Record<string, string>>): Promise<string> {
  await page.until(`document.querySelector('dialog[open]')`)
  for (const [name, text] of Object.entries(fields)) {
    await typeInto(page, `document.querySelector('dialog [name="${name}"]')`, text)
  }
  await page.until(`!document.querySelector('dialog button.primary').disabled`)
  await page.evaluate(`document.querySelector('dialog button.primary').click()`)
  return page.until<string>(`document.querySelector('.result')?.textContent`)
}
