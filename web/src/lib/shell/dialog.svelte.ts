/** A question that has to be answered before anything else. */
export interface Question {
  title: string;
  text: string;
  yes: string;
  no: string;
  danger?: boolean;
}

class ConfirmDialog {
  question = $state.raw<Question | undefined>();
  #answer: ((yes: boolean) => void) | undefined;

  ask(question: Question): Promise<boolean> {
    this.#answer?.(false);
    this.question = question;
    return new Promise((resolve) => (this.#answer = resolve));
  }

  answer(yes: boolean): void {
    this.question = undefined;
    this.#answer?.(yes);
    this.#answer = undefined;
  }
}

export const confirmDialog = new ConfirmDialog();
