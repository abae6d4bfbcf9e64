import { expect, signIn, test, type Page, type Stack } from './support/fixtures';
import { heading, said } from './support/elements';

/** As many people as fill the page, so that a row lies beneath every button of a dialog. */
async function crowd(stack: Stack): Promise<void> {
  for (let i = 10; i < 30; i++) {
    await stack.as('ckent', 'POST', '/users', { email: `person.${i}@example.com`, firstName: 'Person', lastName: `N${i}`, roles: ['LIBRARY_USER'] });
  }
}

/** Opens the question whether to remove somebody, and says where its "yes" is. */
async function askToRemove(page: Page, name: string): Promise<{ x: number; y: number }> {
  await page.getByRole('button', { name: `Remove ${name}` }).click();
  const box = await page.getByRole('dialog').getByRole('button', { name: /^Remove/ }).boundingBox();
  if (!box) throw new Error('the question is not there');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Opens the list of people, and stops the clock of the page: two presses are as close as they can be. */
async function people(page: Page): Promise<void> {
  await page.clock.install();
  await signIn(page, 'ckent', '/users');
  await expect(page.getByText('Bruce Banner').first()).toBeVisible();
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
}

/** Nothing but the answer has happened. */
async function nothingElse(page: Page): Promise<void> {
  await page.clock.runFor(300);
  await expect(heading(page, 'People')).toBeVisible();
  await expect(page.getByRole('dialog')).toBeHidden();
}

test('the second click on a confirmation hits nothing beneath it', async ({ page, stack }) => {
  await crowd(stack);
  await people(page);
  const yes = await askToRemove(page, 'Bruce Banner');
  await page.mouse.dblclick(yes.x, yes.y, { delay: 20 });
  await said(page, 'Bruce Banner');
  await nothingElse(page);
  await expect(page.getByRole('button', { name: 'Remove Bruce Banner' })).toHaveCount(0);
  // What is pressed afterwards works, also at the same place.
  await page.clock.runFor(700);
  await page.mouse.click(yes.x, yes.y);
  await expect(heading(page, 'Edit person')).toBeVisible();
});

test('nor does the second tap of a finger', async ({ visitor, stack }) => {
  await crowd(stack);
  const page = await visitor({ hasTouch: true, viewport: { width: 360, height: 640 } });
  await people(page);
  const yes = await askToRemove(page, 'Bruce Banner');
  await page.touchscreen.tap(yes.x, yes.y);
  await page.touchscreen.tap(yes.x, yes.y);
  await nothingElse(page);
});

test('nor does the Enter key that is pressed twice', async ({ page }) => {
  await people(page);
  for (const key of ['Enter', 'Space']) {
    await askToRemove(page, 'Bruce Banner');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).focus();
    await page.keyboard.press(key);
    await page.keyboard.press(key);
    await nothingElse(page);
    await expect(page.getByRole('button', { name: 'Remove Bruce Banner' })).toBeFocused();
    await page.clock.runFor(600);
    await page.keyboard.press(key);
    await expect(page.getByRole('dialog')).toBeVisible();
    await page.keyboard.press('Escape');
    await page.clock.runFor(600);
  }
});

test('a double click on what asks a question does not answer it', async ({ page }) => {
  await people(page);
  const ask = page.getByRole('button', { name: 'Remove Bruce Banner' });
  const yes = await askToRemove(page, 'Bruce Banner');
  await page.keyboard.press('Escape');
  const box = await ask.boundingBox();
  if (!box) throw new Error('there is no button');
  const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  // The question opens with its "yes" under the pointer.
  await page.evaluate(([dx, dy]) => { (document.querySelector('dialog') as HTMLElement).style.translate = `${dx}px ${dy}px`; }, [at.x - yes.x, at.y - yes.y]);
  await page.mouse.dblclick(at.x, at.y, { delay: 20 });
  await page.clock.runFor(700);
  await expect(page.getByRole('dialog', { name: 'Remove Bruce Banner?' })).toBeVisible();
  await page.mouse.click(at.x, at.y);
  await expect(ask).toHaveCount(0);
});

test('what is typed right after an answer arrives', async ({ page }) => {
  await signIn(page, 'ckent', '/users');
  await askToRemove(page, 'Bruce Banner');
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').focus();
  await page.keyboard.type('kent');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('searchbox')).toHaveValue('kent');
  await expect(page.getByRole('button', { name: 'Remove Bruce Banner' })).toHaveCount(0);
});
