// Driver of the Go code of docs/clients.md; a delivery on each line.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"strings"

	"driver/webhooks"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		headers := http.Header{}
		for number, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			if parts[number+1] != "" {
				headers.Set(name, parts[number+1])
			}
		}
		body, err := base64.StdEncoding.DecodeString(parts[4])
		if err == nil {
			err = webhooks.Verify(parts[0], headers, body)
		}
		if err == nil {
			fmt.Println("accepted")
		} else {
			fmt.Println("refused")
		}
	}
}
